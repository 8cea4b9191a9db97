// SPDX-License-Identifier: Apache-2.0
import { describeFleetLogContract } from "../../../test/contract/fleet-log-contract.ts";
import { SettableClock } from "../../../test/support/store-fleet-log.ts";
import { openScratch } from "../../../test/support/store-under-test.ts";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import type { FleetLogEngine } from "./fleet-log.ts";
import { GroupedFleetLog } from "./grouped-fleet-log.ts";
import { SqliteFleetLog } from "./sqlite-fleet-log.ts";

describeFleetLogContract("sqlite, grouped", async () => {
  const scratch = openScratch();
  const clock = new SettableClock();
  const open = () =>
    createInThreadPort<FleetLogEngine>(
      new GroupedFleetLog(new SqliteFleetLog({ file: scratch.path("fleet.db"), clock }), queueMicrotask),
    );
  let log = open();
  return {
    log,
    clock,
    async reopen() {
      await log.close();
      log = open();
      return log;
    },
    async [Symbol.asyncDispose]() {
      await log.close();
      scratch[Symbol.dispose]();
    },
  };
});
