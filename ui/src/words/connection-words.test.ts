// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { connectionStates as hubStates } from "../../../src/health/health-state.ts";
import { connectionStates, connectionWords, parseConnectionState } from "./connection-words.ts";

test("[PG16] every state of the hub has its own words here, and a word that is not known is never good", () => {
  expect(hubStates.map((state) => parseConnectionState(state))).toEqual([...hubStates]);
  expect(new Set(connectionStates.map((state) => connectionWords(state).word)).size).toBe(connectionStates.length);
  for (const text of ["", "green", "__proto__", "constructor"]) {
    expect(connectionWords(parseConnectionState(text))).toMatchObject({ word: "not known", isTrouble: true });
  }
});

test("what is lost comes before everything, and live last", () => {
  expect([connectionStates[0], connectionStates.at(-1)]).toEqual(["disconnected", "live"]);
});
