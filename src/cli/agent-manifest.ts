// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { chooseKinds } from "../kinds/choose-kinds.ts";
import type { DerivedKind, Kind } from "../kinds/kind.ts";
import { planKindRules } from "../kinds/kind-rules.ts";
import { type ClusterId, parseClusterId } from "../model/cluster-id.ts";
import { isDnsLabel, isDnsSubdomain } from "../model/dns-name.ts";
import { isImageName } from "../model/image-name.ts";
import { quote } from "../model/text.ts";
import type { Io } from "./io.ts";

/** What the user asks for, as it was written. */
export interface AgentManifestWish {
  readonly hub: string;
  /** PEM text of the hub's certificate authority; undefined: the roots of the image. */
  readonly ca: string | undefined;
  readonly clusterId: string;
  readonly region: string;
  readonly environment: string;
  readonly namespaces: readonly string[];
  readonly excludeNamespaces: readonly string[];
  /** Resources such as `pods` or `apps/deployments`; none: what is collected by default. */
  readonly kinds: readonly string[];
  readonly objectReads: boolean;
  readonly constrainedImpersonation: boolean;
  readonly image: string;
  /** Names of Secrets with which the image is pulled. */
  readonly agentImagePullSecrets: readonly string[];
  readonly joinSecret: string;
}

/** The same, once it is known to be right. */
export interface CheckedAgentManifest extends Omit<AgentManifestWish, "hub" | "clusterId" | "kinds"> {
  readonly hub: URL;
  readonly clusterId: ClusterId;
  /** What the agent may read; a resource of `*` is every one of its group. */
  readonly kinds: readonly ReadKind[];
  /** Whether it follows kinds that no rule can name (KI27). */
  readonly readsAsViewer: boolean;
  /** As the user wrote them. */
  readonly kindTexts: readonly string[];
}

type ReadKind = Pick<Kind, "resource" | "isNamespaced"> & Partial<Pick<DerivedKind, "from">>;

/** Makes the YAML text of it. */
export type RenderManifest = (wanted: CheckedAgentManifest) => string;

/**
 * Prints what installs an agent, for `kubectl apply -f -`. It always is YAML: whatever form others are printed in, this goes to kubectl.
 * Throws INVALID_ARGUMENT, and prints nothing, where anything is wrong.
 */
export function printAgentManifest(io: Io, wish: AgentManifestWish, render: RenderManifest): void {
  io.stdout.write(render(checkWish(wish)));
}

/** Characters of region and environment that the hub takes. */
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
    refuse("every namespace that collection is limited to is excluded too, so nothing is left to collect");
  if (!isDnsSubdomain(joinSecret)) refuse(`join secret ${quote(joinSecret)} is not the name of a Secret`);
  if (!isImageName(image)) refuse(`image ${quote(image)} is not the name of a container image`);
  for (const name of agentImagePullSecrets)
    if (!isDnsSubdomain(name)) refuse(`image pull secret ${quote(name)} is not the name of a Secret`);
  if (wish.constrainedImpersonation && !wish.objectReads)
    refuse("constrained-impersonation says how an agent acts for users; give object-reads too, or neither");
  return { ...wish, ...planKinds(wish.kinds), clusterId, hub };
}

function refuse(sentence: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", sentence);
}

function parseHub(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) refuse(`hub ${quote(text)} is not a URL such as https://hub.example.com:7443`);
  // A URL may hold a password, so what is wrong with it is told without it.
  if (url.protocol !== "https:") refuse("hub must begin with https://, since an agent's state and token go there");
  if (url.username !== "" || url.password !== "") refuse("hub must not hold a user or password; the agent has a key");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") refuse("hub must be a URL without a path");
  return url;
}

/** A ConfigMap is read by many, so a private key must not slip in. */
function checkCa(ca: string | undefined): void {
  if (ca === undefined) return;
  if (ca.includes("PRIVATE KEY")) refuse("the certificate authority holds a private key; give its certificate alone");
  if (!/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(ca))
    refuse("the certificate authority is not a certificate in PEM form");
}

function checkText(name: string, text: string): void {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (text.length > maxTextLength || !text.isWellFormed() || /[\u0000-\u001f\u007f]/.test(text))
    refuse(`${name} ${quote(text)} must be one line of at most ${maxTextLength} characters`);
}

/**
 * What has to be granted for these kinds. A kind without a file of its own may lie in namespaces or not, which only the cluster knows: where
 * collection is limited to namespaces it is granted there.
 */
function planKinds(texts: readonly string[]): Pick<CheckedAgentManifest, "kinds" | "readsAsViewer" | "kindTexts"> {
  const { chosen, derived, others } = chooseKinds({ kinds: texts, excludeKinds: [] });
  const { resources, meansUnknownGroups } = planKindRules(others);
  const ruled = resources.map((resource) => ({ resource, isNamespaced: true }));
  return { kinds: [...chosen, ...derived, ...ruled], readsAsViewer: meansUnknownGroups, kindTexts: texts };
}
