// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import { quote, utf8ByteCount } from "../../model/text.ts";
import { callerOf, callOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { maxNameBytes } from "../../session/tunnel/tunnel.ts";
import { clusterNotFound } from "../clusters/cluster-registry.ts";
import { findKind } from "../fleet-services/find-kind.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import type { TunnelBroker } from "./tunnel-broker.ts";

/** QueryService: reads from the clusters themselves (TU10). */
export function createQueryService(parts: FleetParts, tunnels: Pick<TunnelBroker, "readObject">): ServiceEntry {
  return serviceEntry(QueryService, {
    async getObject({ cluster, kind, namespace, name }, { values, signal }) {
      if (parts.fleet.clusters.get(cluster) === undefined) throw clusterNotFound(cluster);
      // The agent validates names. Only the length is checked here, because the name is logged (TU11).
      for (const part of [namespace, name]) {
        if (utf8ByteCount(part) > maxNameBytes)
          throw new FlotillaError("INVALID_ARGUMENT", `${quote(part)} is longer than a Kubernetes name may be`);
      }
      const { subject } = callerOf(values);
      const { user, groups } = subject;
      const read = { user, groups, resource: await findKind(parts, subject, cluster, kind), namespace, name };
      const body = await tunnels.readObject({ cluster, read, log: callOf(values).log }, signal);
      return { object: toText(body, cluster) };
    },
  });
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of the body, every byte unchanged (TU9). */
function toText(body: Uint8Array, cluster: string): string {
  try {
    return decoder.decode(body);
  } catch (reason) {
    throw new FlotillaError("MALFORMED", `the answer of the agent of ${cluster} is not UTF-8`, { cause: reason });
  }
}
