// SPDX-License-Identifier: Apache-2.0
// A hub whose fleet queries are turned off (QL60): what it serves in their place.
import { FlotillaError } from "../../base/error.ts";
import type { QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { RawRoute } from "../../rpc/http/raw-route.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";

const whyAbsent = "fleet queries are turned off on this hub; its operator can allow them with --fleet-queries";

/** The methods that list the fleet. The others explain access, or read one object in its cluster. */
const listingMethods: readonly (keyof typeof QueryService.method)[] = [
  "listObjects",
  "watchObjects",
  "facets",
  "problems",
  "compare",
  "relations",
  "explain",
  "complete",
];

/** QueryService without the methods that list the fleet. They answer UNIMPLEMENTED with the reason. */
export function withoutListing({ service, implementation }: ServiceEntry): ServiceEntry {
  const listing: ReadonlySet<string> = new Set(listingMethods);
  const kept = Object.entries(implementation).filter(([name]) => !listing.has(name));
  return { service, implementation: Object.fromEntries(kept), whyAbsent };
}

/** A service of which every method answers UNIMPLEMENTED with the reason. */
export function withoutMethods({ service }: ServiceEntry): ServiceEntry {
  return { service, implementation: {}, whyAbsent };
}

/** The same path, where every request is NOT_FOUND with the reason. */
export function withoutAnswers({ path, match, access }: RawRoute): RawRoute {
  return { path, match, access, raw: () => Promise.reject(new FlotillaError("NOT_FOUND", whyAbsent)) };
}
