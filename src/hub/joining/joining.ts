// SPDX-License-Identifier: Apache-2.0
// Joining by URL: the service that creates codes and watches joins, the route of the manifest, and the records of
// refusals.
import { create } from "@bufbuild/protobuf";
import { toFlotillaError } from "../../base/error.ts";
import type { Random } from "../../base/random.ts";
import { JoinCodeService } from "../../gen/flotilla/fleet/v1/join_pb.ts";
import { ClusterMetadataSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { Route } from "../../rpc/http/route.ts";
import type { HandshakeFailure } from "../../rpc/listener/handshake-failures.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { parseMetadata } from "../../session/hub/parse-metadata.ts";
import type { Store } from "../../store/store.ts";
import { actorOf } from "../audit/actor-of.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import { JoinCodes } from "./join-codes.ts";
import { JoinObservations } from "./join-observations.ts";
import { createJoinRoute, type JoinManifest } from "./join-route.ts";
import { watchJoin } from "./join-watch.ts";
import { joinCommand, joinUrl, type PublicName } from "./public-name.ts";

/** Functions that the composition root supplies. */
export interface JoiningPorts {
  /** The address at which clusters reach the hub. Throws CONFIG_INVALID naming the option to set if there is none. */
  readonly publicName: () => PublicName;
  /** The YAML text that installs an agent. */
  readonly renderManifest: (manifest: JoinManifest) => string;
}

export interface JoiningOptions extends JoiningPorts {
  readonly store: Store;
  readonly random: Random;
  readonly parts: Pick<FleetParts, "fleet" | "health" | "clock">;
}

/** The parts of joining by URL. */
export interface Joining {
  readonly service: ServiceEntry;
  readonly route: Route;
  /** Records rejected sessions. */
  readonly handlers: SessionHandlers;
  /** Runs a Join call. A failure is recorded and rethrown. */
  register<T>(cluster: string, from: string, work: () => Promise<T>): Promise<T>;
  /** Records a TLS handshake that a client aborted. */
  readonly noteHandshake: (failure: HandshakeFailure) => void;
}

/** Creates the parts. Nothing is read before the first call. */
export function createJoining({ store, random, parts, publicName, renderManifest }: JoiningOptions): Joining {
  const { fleet, health, clock } = parts;
  const { clusters: registry, claims, clusterRegistration } = fleet;
  const trail = new JoinObservations(clock);
  const codes = new JoinCodes({ store, registry, claims, clusterRegistration, clock, random });
  return {
    service: serviceEntry(JoinCodeService, {
      async createJoinCode(wanted, { values }) {
        const name = publicName();
        const { region, environment } = wanted;
        parseMetadata(create(ClusterMetadataSchema, { region, environment })); // validated as the agent's metadata will be
        const { record, text } = await codes.create(wanted, actorOf(values));
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
        return watchJoin({ fleet, health, clock, codes, trail }, id, signal);
      },
    }),
    route: createJoinRoute({ codes, trail, publicName, renderManifest, clock }),
    handlers: {
      rejected({ attempt: { cluster, address, reason, detail } }) {
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
  return `${url} is a loopback address; Pods on other machines cannot reach it`;
}
