// SPDX-License-Identifier: Apache-2.0
// What `flotilla playground stop|start|cut|heal` do, without a process for each: for tests that do it often, or to
// several clusters at once.
import { createClient } from "@connectrpc/connect";
import { PlaygroundNetwork, PlaygroundService } from "../../../src/gen/flotilla/admin/v1/playground_pb.ts";
import type { HubView } from "../fleet/hub-view.ts";

/** Starts or stops the API server of a playground cluster. */
export async function setPower(hub: HubView, name: string, isRunning: boolean): Promise<void> {
  await createClient(PlaygroundService, hub.transport).setPlaygroundPower({ name, isRunning });
}

/** Takes what comes and answers nothing, or is as ever. */
export async function setSilent(hub: HubView, name: string, isSilent: boolean): Promise<void> {
  const network = isSilent ? PlaygroundNetwork.SILENT : PlaygroundNetwork.OPEN;
  await createClient(PlaygroundService, hub.transport).setPlaygroundNetwork({ name, network });
}
