// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { chooseKinds } from "../kinds/choose-kinds.ts";
import type { DerivedKind, Kind } from "../kinds/kind.ts";
import { planKindRules } from "../kinds/kind-rules.ts";
import { type ClusterId, parseClusterId } from "../model/cluster-id.ts";
import { isDnsLabel, isDnsSubdomain } from "../model/dns-name.ts";
import { isImageName } from "../model/image-name.ts";
import { quote } from "../model/text.ts";
import type { Io } from "./output/io.ts";

/** The user's request, unchecked. */
export interface AgentManifestWish {
  readonly hub: string;
  /** PEM text of the hub's certificate authority; undefined: the roots of the image. */
  readonly ca: string | undefined;
  readonly clusterId: string;
  readonly region: string;
  readonly environment: string;
  readonly namespaces: readonly string[];
  readonly excludeNamespaces: readonly string[];
  /** Resources such as `pods` or `apps/deployments`; empty: the default kinds. */
  readonly kinds: readonly string[];
  readonly objectReads: boolean;
  readonly constrainedImpersonation: boolean;
  /** Default: true. */
  readonly accessReviews?: boolean;
  /** Groups of the hub that may read the collected kinds. Default: the hub's administrators. */
  readonly viewerGroups?: readonly string[];
  readonly image: string;
  /** Names of image pull Secrets. */
  readonly agentImagePullSecrets: readonly string[];
  readonly joinSecret: string;
}

/** The request after its checks. */
export interface CheckedAgentManifest extends Omit<AgentManifestWish, "hub" | "clusterId" | "kinds"> {
  readonly hub: URL;
  readonly clusterId: ClusterId;
  /** Kinds that the agent may read; resource `*` means every resource of its group. */
  readonly kinds: readonly ReadKind[];
  /** True if it collects kinds that RBAC rules cannot name (KI27). */
  readonly readsAsViewer: boolean;
  /** The kinds as the user wrote them. */
  readonly kindTexts: readonly string[];
}

type ReadKind = Pick<Kind, "resource" | "isNamespaced"> & Partial<Pick<DerivedKind, "from">>;

/** Renders the manifest as YAML. */
export type RenderManifest = (wanted: CheckedAgentManifest) => string;

/**
 * Prints the manifest of an agent, for `kubectl apply -f -`. Always YAML, whatever `--output` is. Throws
 * INVALID_ARGUMENT, and prints nothing, if the request is invalid.
 */
export function printAgentManifest(io: Io, wish: AgentManifestWish, render: RenderManifest): void {
  io.stdout.write(render(checkWish(wish)));
}

/** Maximum length of region and environment that the hub accepts. */
const maxTextLength = 256;

function checkWish(wish: AgentManifestWish): CheckedAgentManifest {
  const { region, environment, namespaces, excludeNamespaces, joinSecret, image, agentImagePullSecrets } = wish;
  const clusterId = parseClusterId(wish.clusterId);
  const hub = parseHub(wish.hub);
  checkCa(wish.ca);
  checkText("region", region);
  checkText("environment", environment);
  for (const name of [...namespaces, ...excludeNamespaces])
    if (!isDnsLabel(name)) refuse(`namespace ${quote(name)} is not a DNS label, such as "shop"`);
  if (namespaces.length > 0 && namespaces.every((name) => excludeNamespaces.includes(name)))
    refuse("every namespace of --namespaces is also excluded, so nothing would be collected");
  if (!isDnsSubdomain(joinSecret)) refuse(`join secret ${quote(joinSecret)} is not the name of a Secret`);
  if (!isImageName(image)) refuse(`image ${quote(image)} is not the name of a container image`);
  for (const name of agentImagePullSecrets)
    if (!isDnsSubdomain(name)) refuse(`image pull secret ${quote(name)} is not the name of a Secret`);
  if (wish.constrainedImpersonation && !wish.objectReads)
    refuse("constrained-impersonation needs object-reads; give both or neither");
  return { ...wish, ...planKinds(wish.kinds), clusterId, hub };
}

function refuse(sentence: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", sentence);
}

function parseHub(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) refuse(`hub ${quote(text)} is not a URL such as https://hub.example.com:7443`);
  // The URL may contain a password, so these messages do not quote it.
  if (url.protocol !== "https:")
    refuse("hub must begin with https://, because the agent sends its state and token there");
  if (url.username !== "" || url.password !== "")
    refuse("hub must not contain a user or password; the agent has a key");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") refuse("hub must be a URL without a path");
  return url;
}

/** The CA is stored in a ConfigMap, which many users can read, so it must not contain a private key. */
function checkCa(ca: string | undefined): void {
  if (ca === undefined) return;
  if (ca.includes("PRIVATE KEY")) refuse("the certificate authority contains a private key; give only its certificate");
  if (!/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(ca))
    refuse("the certificate authority is not a certificate in PEM form");
}

function checkText(name: string, text: string): void {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (text.length > maxTextLength || !text.isWellFormed() || /[\u0000-\u001f\u007f]/.test(text))
    refuse(`${name} ${quote(text)} must be one line of at most ${maxTextLength} characters`);
}

/**
 * The RBAC grants for these kinds. Whether a kind that is not built in is namespaced is known only in the cluster; it
 * is treated as namespaced.
 */
function planKinds(texts: readonly string[]): Pick<CheckedAgentManifest, "kinds" | "readsAsViewer" | "kindTexts"> {
  const { chosen, derived, others } = chooseKinds({ kinds: texts, excludeKinds: [] });
  const { resources, meansUnknownGroups } = planKindRules(others);
  const ruled = resources.map((resource) => ({ resource, isNamespaced: true }));
  return { kinds: [...chosen, ...derived, ...ruled], readsAsViewer: meansUnknownGroups, kindTexts: texts };
}
