// SPDX-License-Identifier: Apache-2.0
// Names that users meet and that several parts must spell alike (CO6, CO7). A name that one part owns stays with that part.

/** Domain of our labels, annotations and API groups. */
export const flotillaDomain = "flotilla.dev";

/** API group of what hub permissions are about: clusters, jointokens, sessions. */
export const fleetApiGroup = `fleet.${flotillaDomain}`;

/** Beginning of every metric that is ours; metrics named by the seeds keep their names. */
export const metricPrefix = "flotilla_";

/** The key of a label or annotation of ours: `flotilla.dev/<name>`. */
export function flotillaMark(name: string): string {
  return `${flotillaDomain}/${name}`;
}

/** Prefixes of the ids that the hub makes, one per kind of thing. A prefix is never reused for another kind. */
export const idPrefixes = {
  agent: "agt",
  deployment: "dep",
  feed: "feed",
  hub: "hub",
  incarnation: "inc",
  instance: "ins",
  joinToken: "join",
  pageStream: "page",
  request: "req",
  run: "run",
  sentinel: "sen",
  store: "st",
  token: "tok",
  tunnel: "tun",
  workspace: "ws",
} as const;

/** A kind of thing that has made ids. */
export type IdKind = keyof typeof idPrefixes;

const idRest = /^[a-z0-9]{16,40}$/;

/** True for an id of that kind: its prefix, `_`, and 16 to 40 lower-case letters and digits (CO7). */
export function isIdOf(kind: IdKind, text: string): boolean {
  const prefix = `${idPrefixes[kind]}_`;
  return text.startsWith(prefix) && idRest.test(text.slice(prefix.length));
}
