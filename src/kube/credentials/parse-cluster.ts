// SPDX-License-Identifier: Apache-2.0
import { isObject } from "../../kinds/fields.ts";
import type { FieldReader } from "../../model/field-reader.ts";
import type { ClusterAccess, Material } from "./cluster-access.ts";

/** A cluster entry of a kubeconfig. */
export type ClusterEntry = Pick<
  ClusterAccess,
  "tlsServerName" | "insecureSkipTlsVerify" | "certificateAuthority" | "proxyUrl" | "disableCompression"
> & {
  /** Undefined only together with a mistake that states why. */
  readonly server: URL | undefined;
  /** Its extension for exec plugins, unparsed. */
  readonly execConfig: unknown;
};

/** The extension in which kubectl finds a cluster's configuration for exec plugins. */
const execExtension = "client.authentication.k8s.io/exec";

const proxySchemes: ReadonlySet<string> = new Set(["http:", "https:"]);

/** Parses a cluster entry. `resolve` makes paths absolute, relative to the kubeconfig's folder. */
export function parseCluster(fields: FieldReader, resolve: (path: string) => string): ClusterEntry {
  const isInsecure = fields.flag("insecure-skip-tls-verify");
  const authority = parseMaterial(fields, "certificate-authority", resolve);
  if (isInsecure && authority !== undefined) {
    fields.mistake("insecure-skip-tls-verify", "cannot be true beside a certificate authority; remove one of them");
  }
  return {
    server: parseServer(fields),
    tlsServerName: fields.text("tls-server-name"),
    insecureSkipTlsVerify: isInsecure,
    certificateAuthority: authority,
    proxyUrl: parseProxy(fields),
    disableCompression: fields.flag("disable-compression"),
    execConfig: findExtension(fields),
  };
}

/** `name-data` inline, else the file `name`. If both are set, the inline data is used, as in kubectl. */
export function parseMaterial(
  fields: FieldReader,
  name: string,
  resolve: (path: string) => string,
): Material | undefined {
  const text = decodeBase64(fields, `${name}-data`);
  const path = fields.text(name);
  if (text !== undefined) return { kind: "inline", text, ...(path === undefined ? {} : { besidePath: path }) };
  return path === undefined ? undefined : { kind: "file", path: resolve(path) };
}

/** The text of a field that is encoded as base64. */
function decodeBase64(fields: FieldReader, field: string): string | undefined {
  const compact = fields.text(field)?.replaceAll(/\s/g, "");
  if (compact === undefined) return undefined;
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(compact) && compact.length % 4 === 0) {
    return Buffer.from(compact, "base64").toString("utf8");
  }
  fields.mistake(field, "must be base64");
  return undefined;
}

function parseServer(fields: FieldReader): URL | undefined {
  const text = fields.text("server");
  if (text === undefined) {
    if (fields.mistakes.every(({ field }) => field !== "server")) {
      fields.mistake("server", "is missing; it is the URL of the API server, such as https://10.0.0.1:6443");
    }
    return undefined;
  }
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || url.hostname === "") {
    fields.mistake("server", "is not a URL of an API server, such as https://10.0.0.1:6443");
    return undefined;
  }
  if (url.username !== "" || url.password !== "") {
    fields.mistake("server", "holds a user or password; put them into the user's entry");
    return undefined;
  }
  url.search = "";
  url.hash = "";
  return url;
}

function parseProxy(fields: FieldReader): URL | undefined {
  const text = fields.text("proxy-url");
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && proxySchemes.has(url.protocol) && url.hostname !== "") return url;
  fields.mistake("proxy-url", "must be a URL with http:// or https://; other proxies are not supported");
  return undefined;
}

function findExtension(fields: FieldReader): unknown {
  const found = fields.list("extensions").find((each) => isObject(each) && each["name"] === execExtension);
  return isObject(found) ? found["extension"] : undefined;
}
