// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import { FlotillaError } from "../base/error.ts";
import {
  type PlaygroundClusterSchema,
  PlaygroundNetwork,
  PlaygroundService,
} from "../gen/flotilla/admin/v1/playground_pb.ts";
import { type ServiceEntry, serviceEntry } from "../rpc/server/connect-router.ts";
import { isTroubleName, troubleNames } from "./controllers/trouble.ts";
import type { Playground, PlaygroundState } from "./playground.ts";
import type { NetworkState } from "./simulated-network.ts";

const networkOf: Readonly<Record<NetworkState, PlaygroundNetwork>> = {
  open: PlaygroundNetwork.OPEN,
  refused: PlaygroundNetwork.REFUSED,
  silent: PlaygroundNetwork.SILENT,
};

/** PlaygroundService: controls the playground clusters of this process. */
export function createPlaygroundService(playground: Playground): ServiceEntry {
  return serviceEntry(PlaygroundService, {
    listPlaygroundClusters: () => ({ clusters: playground.list().map(toMessage), troubleNames: [...troubleNames] }),
    async setPlaygroundPower({ name, isRunning }) {
      return { cluster: toMessage(await (isRunning ? playground.start(name) : playground.stop(name))) };
    },
    async setPlaygroundNetwork({ name, network }) {
      return { cluster: toMessage(await playground.setNetwork(name, toNetworkState(network))) };
    },
    async setPlaygroundTrouble({ name, trouble, isActive }) {
      if (!isTroubleName(trouble)) {
        const known = troubleNames.join(", ");
        throw new FlotillaError(
          "INVALID_ARGUMENT",
          `unknown trouble ${JSON.stringify(trouble)}; choose one of: ${known}`,
        );
      }
      const change = isActive ? playground.addTrouble(name, trouble) : playground.healTrouble(name, trouble);
      return { cluster: toMessage(await change) };
    },
  });
}

function toNetworkState(network: PlaygroundNetwork): NetworkState {
  switch (network) {
    case PlaygroundNetwork.OPEN:
      return "open";
    case PlaygroundNetwork.REFUSED:
      return "refused";
    case PlaygroundNetwork.SILENT:
      return "silent";
    default:
      throw new FlotillaError("INVALID_ARGUMENT", "the network must be open, refused or silent");
  }
}

function toMessage({
  name,
  region,
  url,
  isRunning,
  network,
  troubles,
}: PlaygroundState): MessageInitShape<typeof PlaygroundClusterSchema> {
  return { name, region, url, isRunning, network: networkOf[network], troubles: [...troubles] };
}
