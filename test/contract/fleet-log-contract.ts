// SPDX-License-Identifier: Apache-2.0
// The rules of docs/spec/store.md that every engine of the FleetLog keeps.
import { describe } from "vitest";
import type { OpenLog, OpenSharedLog } from "../support/store-fleet-log.ts";
import { describeAppends } from "./fleet-log/appends-contract.ts";
import { describeFollow, describeSharedLog } from "./fleet-log/follow-contract.ts";
import { describeHistory } from "./fleet-log/history-contract.ts";
import { describePlaces } from "./fleet-log/places-contract.ts";

/** Runs the suite over one way to open a fleet log; each test opens its own, empty one. */
export function describeFleetLogContract(name: string, open: OpenLog): void {
  describe(name, () => {
    describe("appends", () => describeAppends(open));
    describe("history", () => describeHistory(open));
    describe("places", () => describePlaces(open));
    describe("follow", () => describeFollow(open));
  });
}

/** The rules for a log that several processes have open. */
export function describeSharedLogContract(name: string, open: OpenSharedLog): void {
  describe(name, () => describeSharedLog(open));
}
