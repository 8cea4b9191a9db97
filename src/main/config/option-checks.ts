// SPDX-License-Identifier: Apache-2.0

// Checks of single values. Each returns the words that follow a wrong value, or undefined.
import { isIP } from "node:net";
import { hasCode } from "../../base/error.ts";
import { findNearest } from "../../base/nearest.ts";
import { parseKindPattern } from "../../kinds/kind-pattern.ts";
import { isBearerToken } from "../../model/bearer-token.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { isDnsLabel, isDnsSubdomain } from "../../model/dns-name.ts";
import { parseResourceId } from "../../model/gvr.ts";
import { isImageName } from "../../model/image-name.ts";
import { isLabelKey, isLabelValue } from "../../model/label-name.ts";
import { statuses } from "../../model/status.ts";
import type { Secret } from "./secret-value.ts";

/** A DNS name: labels of letters, digits and inner dashes, at most 253 characters. */
function isHostName(text: string): boolean {
  return (
    text.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(text)
  );
}

export function checkHost(text: string): string | undefined {
  return isIP(text) !== 0 || isHostName(text)
    ? undefined
    : "must be a host name or an IP address, without port or brackets";
}

export function checkHosts(hosts: readonly string[]): string | undefined {
  const wrong = hosts.find((host) => checkHost(host) !== undefined);
  return wrong === undefined
    ? undefined
    : `contains ${JSON.stringify(wrong)}, which is not a host name or an IP address`;
}

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Plain HTTP only on this machine, because every call carries a token. */
export function checkHubUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "must be a URL such as https://hub.example.com:7443";
  }
  if (url.username !== "" || url.password !== "") return "must not contain a user or password; give a token instead";
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return "must be a URL without a path";
  if (url.protocol === "http:" && !loopbackNames.has(url.hostname)) {
    return "must start with https:// unless the hub is on this machine, because the token would be sent unencrypted";
  }
  return undefined;
}

/** Like `checkHubUrl`, but https only: the URL is written into manifests. */
export function checkPublicUrl(text: string): string | undefined {
  const problem = checkHubUrl(text);
  if (problem !== undefined) return problem;
  return new URL(text).protocol === "https:"
    ? undefined
    : "must start with https://, because agents connect only over TLS";
}

/** The form that `flotilla login` shows. */
export function checkPin(text: string): string | undefined {
  return /^sha256:[0-9a-f]{64}$/.test(text) ? undefined : "must be sha256: and 64 hexadecimal digits in lower case";
}

/** The text itself is never shown (L18). */
export function checkToken(secret: Secret): string | undefined {
  return isBearerToken(secret.reveal())
    ? undefined
    : "is not an access token: a token has no spaces, quotes or line breaks and at most 4096 characters; `flotilla token create` creates one";
}

/** Resource ids (CO2): `apps/deployments`, and for the core group only the resource: `secrets`. */
export function checkResources(resources: readonly string[]): string | undefined {
  return checkEach(resources, parseResourceId, "a resource such as secrets or apps/deployments");
}

/** The form of `--kinds` (KI23). Whether the kinds exist is checked later. */
export function checkKinds(kinds: readonly string[]): string | undefined {
  return checkEach(kinds, parseKindPattern, "a kind such as pods, apps/deployments or cert-manager.io/*");
}

/** The problem with the first text that `parse` refuses with INVALID_ARGUMENT. */
function checkEach(texts: readonly string[], parse: (text: string) => unknown, expected: string): string | undefined {
  for (const text of texts) {
    try {
      parse(text);
    } catch (reason) {
      if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
      return `contains ${JSON.stringify(text)}, which is not ${expected}`;
    }
  }
  return undefined;
}

/** At least `leastMs`: a shorter value is a typing mistake that would stop the hub from working. */
export function atLeastMs(leastMs: number, words: string): (valueMs: number) => string | undefined {
  return (valueMs) => (valueMs >= leastMs ? undefined : `must be at least ${words}`);
}

/** At least 64 KiB, so that single objects fit. At most 1 GiB, to bound memory. */
export function checkMessageSize(sizeBytes: number): string | undefined {
  return sizeBytes >= 2 ** 16 && sizeBytes <= 2 ** 30 ? undefined : "must be between 64KiB and 1GiB";
}

/** The wire format is whole seconds in 32 bits, where 0 means no expiry; a fraction of a second must not become 0. */
export function checkTtl(valueMs: number): string | undefined {
  return valueMs === 0 || valueMs >= 1_000 ? undefined : "must be 0 (it does not expire) or at least 1s";
}

export function checkNotEmpty(text: string): string | undefined {
  return text.trim() === "" ? "must not be empty" : undefined;
}

export function isAboveZero(value: number): string | undefined {
  return value > 0 ? undefined : "must be more than 0";
}

/** A cluster's id is a DNS label (CO1). */
export function checkClusterId(text: string): string | undefined {
  try {
    parseClusterId(text);
    return undefined;
  } catch (reason) {
    if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    return "must be lower-case letters, digits and inner dashes, at most 63, such as production-east";
  }
}

export function checkNamespaces(names: readonly string[]): string | undefined {
  const wrong = names.find((name) => !isDnsLabel(name));
  return wrong === undefined ? undefined : `contains ${JSON.stringify(wrong)}, which is not the name of a namespace`;
}

export function checkStatuses(texts: readonly string[]): string | undefined {
  const wrong = texts.find((text) => !statuses.some((status) => status === text.toLowerCase()));
  if (wrong === undefined) return undefined;
  const nearest = findNearest(wrong, statuses);
  const hint = nearest === undefined ? "statuses" : `did you mean ${nearest}? Statuses`;
  return `contains ${JSON.stringify(wrong)}, which is not a status; ${hint} are ${statuses.join(", ")}`;
}

/** An image name as container runtimes accept it. */
export function checkImage(text: string): string | undefined {
  return isImageName(text)
    ? undefined
    : "must be the name of a container image, such as registry.example.com/flotilla:1.2.3";
}

export function checkSecretNames(names: readonly string[]): string | undefined {
  const wrong = names.find((name) => !isDnsSubdomain(name));
  return wrong === undefined ? undefined : `contains ${JSON.stringify(wrong)}, which is not the name of a Secret`;
}

/** `KEY=VALUE` with a key and value that Kubernetes accepts as a label. */
export function checkLabelPairs(pairs: readonly string[]): string | undefined {
  const wrong = pairs.find((pair) => {
    const at = pair.indexOf("=");
    return at < 1 || !isLabelKey(pair.slice(0, at)) || !isLabelValue(pair.slice(at + 1));
  });
  return wrong === undefined ? undefined : `contains ${JSON.stringify(wrong)}, which is not a label such as tier=gold`;
}

/** Plain HTTP only on this machine, because cluster names would be sent unencrypted. */
export function checkWebhookUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOk = url?.protocol === "https:" || (url?.protocol === "http:" && loopbackNames.has(url.hostname));
  if (!isOk) return "must be a URL that begins with https://, or http:// on this machine";
  return url.username === "" && url.password === "" ? undefined : "must not contain a user or password";
}
