// SPDX-License-Identifier: Apache-2.0
// Names that users see and that several parts must spell alike (CO6, CO7). A name used by one part stays in that part.

/** The domain of our labels, annotations and API groups. */
export const flotillaDomain = "flotilla.dev";

/** The API group of hub permissions: clusters, jointokens, sessions. */
export const fleetApiGroup = `fleet.${flotillaDomain}`;

/** Prefix of all our metrics, except those whose names the requirements fix. */
export const metricPrefix = "flotilla_";

/** The key of one of our labels or annotations: `flotilla.dev/<name>`. */
export function flotillaMark(name: string): string {
  return `${flotillaDomain}/${name}`;
}

/** Prefixes of ids that the hub generates, one per kind of id. A prefix is never reused for another kind. */
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
