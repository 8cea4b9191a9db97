// SPDX-License-Identifier: Apache-2.0
import type { KindCoverage } from "../../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";

/** The states of a kind's sync, trouble first. */
const states: ReadonlyMap<string, { readonly word: string; readonly tone: "bad" | "busy" | "good" | "quiet" }> =
  new Map([
    ["failed", { word: "failed", tone: "bad" }],
    ["unknown", { word: "not known", tone: "quiet" }],
    ["listing", { word: "listing", tone: "busy" }],
    ["polling", { word: "polling", tone: "good" }],
    ["watching", { word: "watching", tone: "good" }],
    ["notInstalled", { word: "not installed", tone: "quiet" }],
  ]);

const order = [...states.keys()];

/** A kind's state in words. One that this page does not know is not known. */
export function kindStateWords(state: string): { readonly word: string; readonly tone: string } {
  return states.get(state) ?? { word: "not known", tone: "quiet" };
}

/** Trouble first, then by name. */
export function sortKinds(kinds: readonly KindCoverage[]): readonly KindCoverage[] {
  const rank = ({ state, refusedCount }: KindCoverage): number =>
    refusedCount > 0 ? 0 : order.includes(state) ? order.indexOf(state) : 1;
  return [...kinds].sort((a, b) => rank(a) - rank(b) || (a.resource < b.resource ? -1 : 1));
}

/** What would mend a kind of which an error is told; "" where nothing is known to, undefined without one. */
export function kindAdvice(
  clusterId: string,
  { state, fault, resource, verb, error, refusedCount }: KindCoverage,
): string | undefined {
  if (state !== "failed" && error === "" && refusedCount === 0) return undefined;
  switch (fault) {
    case "forbidden":
      return `Its agent may not ${verb === "" ? "list and watch" : verb} ${resource}. "flotilla agent manifest --cluster-id ${clusterId}" prints the rules that it needs.`;
    case "notFound":
      return "The API server does not serve it. It is followed as soon as its definition is there.";
    case "expired":
      return "The API server forgets versions faster than they are read: it is listed again and again. Look at its watch cache and at the network between them.";
    case "unauthorized":
      return "The agent's credential is refused. A new one is read as soon as it is in its file.";
    default:
      return "";
  }
}

const units = ["B", "kB", "MB", "GB"];

/** Bytes in the unit that leaves up to three digits. */
export function byteWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const value = bytes / 1_000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
