// SPDX-License-Identifier: Apache-2.0
import { abortReason } from "../../base/abort.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeAnswer, KubeSource } from "../kube-source.ts";
import { parseJson, readBody } from "../reflector/parse-kube-json.ts";
import { groupVersionText, parseAggregated, parseGroupList, parseResourceList } from "./parse-discovery.ts";
import type { GroupVersions, ServedResource } from "./served-resource.ts";

/** kubectl's Accept header: the aggregated document in the existing versions, else the older one. */
const accept = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat("application/json")
  .join(",");

/** A cluster with 2,000 CustomResourceDefinitions has a document of about 2 MB. */
const maxDocumentBytes = 32 * 1024 * 1024;

/** The core group is listed at `/api`, all others at `/apis`. */
export type DiscoveryRoot = "/api" | "/apis";

/** Options of the discovery requests. */
export interface LoadOptions {
  readonly source: KubeSource;
  readonly requestTimeoutMs: number;
}

/** A root's answer, and its ETag; "" if it has none. */
export interface RootAnswer {
  readonly groups: GroupVersions;
  readonly etag: string;
}

async function loadDocument(answer: KubeAnswer, what: string): Promise<unknown> {
  const bytes = await readBody(answer.body, maxDocumentBytes);
  if (bytes === undefined) throw new KubeError("malformed", `${what} has more than ${maxDocumentBytes} bytes`);
  return parseJson(bytes, what);
}

/** Requests one root. Undefined if nothing changed since the answer with this ETag. */
export async function loadGroups(
  options: LoadOptions,
  { root, etag }: { readonly root: DiscoveryRoot; readonly etag: string },
  signal: AbortSignal,
): Promise<RootAnswer | undefined> {
  const headers = { accept, ...(etag === "" ? {} : { "if-none-match": etag }) };
  const answer = await options.source.request(
    { method: "GET", path: root, headers, deadlineMs: options.requestTimeoutMs },
    signal,
  );
  if (answer.status === 304) {
    await readBody(answer.body, maxDocumentBytes);
    return undefined;
  }
  const document = await loadDocument(answer, root);
  const groups = parseAggregated(document);
  if (groups !== undefined) return { groups, etag: answer.headers.get("etag") ?? "" };
  const named = parseGroupList(document);
  if (named === undefined) throw new KubeError("malformed", `${root} is not a discovery document`);
  const loaded = new Map<string, readonly ServedResource[] | undefined>();
  for (const { group, version } of named) {
    const resources = await loadVersion(options, group, version, signal);
    if (resources !== "gone") loaded.set(groupVersionText(group, version), resources);
  }
  return { groups: loaded, etag: "" };
}

/**
 * One group-version by the older document. Undefined if it cannot be loaded, which does not affect the others (KU18).
 */
async function loadVersion(
  { source, requestTimeoutMs }: LoadOptions,
  group: string,
  version: string,
  signal: AbortSignal,
): Promise<readonly ServedResource[] | "gone" | undefined> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const headers = { accept: "application/json" };
  try {
    const answer = await source.request({ method: "GET", path, headers, deadlineMs: requestTimeoutMs }, signal);
    return parseResourceList(await loadDocument(answer, path), group, version);
  } catch (reason) {
    if (signal.aborted) throw abortReason(signal);
    if (!(reason instanceof KubeError)) throw reason;
    return reason.fault === "notFound" ? "gone" : undefined;
  }
}
