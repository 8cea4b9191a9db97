// SPDX-License-Identifier: Apache-2.0
// Joining by URL: the service that makes codes and follows joins, the route of the manifest, and what both take note of.
import { create } from "@bufbuild/protobuf";
import { toFlotillaError } from "../../base/error.ts";
import { JoinCodeService } from "../../gen/flotilla/fleet/v1/join_pb.ts";
import { ClusterMetadataSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/connect-router.ts";
import type { HandshakeFailure } from "../../rpc/handshake-failures.ts";
import type { Route } from "../../rpc/route.ts";
import { parseMetadata } from "../../session/hub/parse-metadata.ts";
import { actorOf } from "../audit/actor-of.ts";
import type { FleetObserver } from "../fleet/fleet-observer.ts";
import { JoinCodes, type JoinCodesOptions } from "./join-codes.ts";
import { createJoinRoute, type JoinManifest } from "./join-route.ts";
import { JoinTrail } from "./join-trail.ts";
import { type JoinWatchParts, watchJoin } from "./join-watch.ts";
import { joinCommand, joinUrl, type PublicName } from "./public-name.ts";

/** What whoever runs the hub knows of it. */
export interface JoiningPorts {
  /** How clusters reach the hub. Throws CONFIG_INVALID, with the option to set, where none does. */
  readonly publicName: () => PublicName;
  /** The YAML text that installs an agent. */
  readonly renderManifest: (manifest: JoinManifest) => string;
}

export interface JoiningOptions extends JoiningPorts, Pick<JoinCodesOptions, "store" | "random"> {
  /** Asked for after the fleet was made. */
  readonly parts: () => Omit<JoinWatchParts, "codes" | "trail">;
  readonly clock: JoinCodesOptions["clock"];
}

/** The parts of joining by URL. */
export interface Joining {
  readonly service: ServiceEntry;
  readonly route: Route;
  /** Sees the sessions that are refused. */
  readonly observer: Partial<FleetObserver>;
  /** Does the work of a Join call and takes note of its refusal, which it rethrows. */
  register<T>(cluster: string, from: string, work: () => Promise<T>): Promise<T>;
  /** To be called for each TLS handshake that a client broke off. */
  readonly noteHandshake: (failure: HandshakeFailure) => void;
}

/** Makes them; nothing is read before the first call. */
export function createJoining(options: JoiningOptions): Joining {
  const { publicName, clock } = options;
  const trail = new JoinTrail(clock);
  let made: JoinCodes | undefined;
  const codes = (): JoinCodes => {
    const { fleet } = options.parts();
    made ??= new JoinCodes({ ...options, registry: fleet.clusters, claims: fleet.claims, joinDesk: fleet.joinDesk });
    return made;
  };
  return {
    service: serviceEntry(JoinCodeService, {
      async createJoinCode(wanted, { values }) {
        const name = publicName();
        const { region, environment } = wanted;
        parseMetadata(create(ClusterMetadataSchema, { region, environment })); // as the agent will say them
        const { record, text } = await codes().create(wanted, actorOf(values));
        trail.open(record.cluster, record.createdAtMs);
        return {
          id: record.id,
          clusterId: record.cluster,
          url: joinUrl(name, text),
          command: joinCommand(name, text),
          publicUrl: name.url,
          expiresInMs: BigInt(Math.round(record.expiresAtMs - clock.wallMs())),
          warning: name.isLoopback ? loopbackWarning(name) : "",
        };
      },

      watchJoin({ id }, { signal }) {
        return watchJoin({ ...options.parts(), codes: codes(), trail }, id, signal);
      },
    }),
    route: createJoinRoute({ ...options, codes, trail }),
    observer: {
      rejected({ cluster, address, reason, detail }) {
        const sentence = detail === "" ? reason : detail;
        trail.noteRefusal(cluster, { stage: "session", from: address, sentence });
      },
    },
    async register(cluster, from, work) {
      try {
        return await work();
      } catch (reason) {
        trail.noteRefusal(cluster, { stage: "register", from, sentence: toFlotillaError(reason).message });
        throw reason;
      }
    },
    noteHandshake: (failure) => trail.noteHandshake(failure),
  };
}

function loopbackWarning({ url }: PublicName): string {
  return `${url} is reached from the hub's own machine only; a Pod of another machine does not reach it`;
}
