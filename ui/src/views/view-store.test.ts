// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import type { Link, ViewSink } from "../link/link.ts";
import { HubClock } from "../time/hub-clock.ts";
import { ViewStore } from "./view-store.ts";

let sink: ViewSink | undefined;
let openCount: number;
let timers: (() => void)[];
let callCount: number;
let store: ViewStore<string>;

beforeEach(() => {
  sink = undefined;
  openCount = 0;
  timers = [];
  callCount = 0;
  const link: Link = {
    clock: new HubClock(() => 0),
    getHop: () => ({ kind: "opening" }),
    listenHop: () => () => undefined,
    retryNow: () => undefined,
    subscribe(_wish, given) {
      openCount += 1;
      sink = given;
      return () => (sink = undefined);
    },
  };
  store = new ViewStore({
    link,
    request: { case: "fleet", value: {} },
    fold: { empty: "", fold: (value, bytes) => value + new TextDecoder().decode(bytes) },
    setTimer(_ms, callback) {
      timers.push(callback);
      return () => void timers.splice(timers.indexOf(callback), 1);
    },
  });
});

const listen = (): (() => void) => store.listen(() => void (callCount += 1));
const send = (text: string, isSnapshot = false): void =>
  sink?.update({ bytes: new TextEncoder().encode(text), isSnapshot });

test("[PG20] the first update is shown at once, those that follow together half a second later", () => {
  listen();
  send("a", true);
  expect(store.getShown()).toEqual({ kind: "shown", value: "a" });
  send("b");
  send("c");
  expect([store.getShown(), callCount]).toEqual([{ kind: "shown", value: "a" }, 1]);
  timers.shift()?.();
  expect([store.getShown(), callCount]).toEqual([{ kind: "shown", value: "abc" }, 2]);
  timers.shift()?.();
  expect([callCount, timers.length]).toEqual([2, 0]);
});

test("[PG9] a snapshot replaces what was shown in one step", () => {
  listen();
  send("old", true);
  timers.shift()?.();
  send("new", true);
  expect(store.getShown()).toEqual({ kind: "shown", value: "new" });
});

test("one subscription serves all who listen, and the last takes it with them", () => {
  const [leaveFirst, leaveSecond] = [listen(), listen()];
  expect(openCount).toBe(1);
  leaveFirst();
  expect(sink).toBeDefined();
  send("a", true);
  leaveSecond();
  expect([sink, timers.length]).toEqual([undefined, 0]);
  expect(store.getShown()).toEqual({ kind: "shown", value: "a" });
  listen();
  send("b", true);
  expect([openCount, store.getShown()]).toEqual([2, { kind: "shown", value: "b" }]);
});

test("a refused view shows the refusal instead of its value", () => {
  listen();
  send("a", true);
  timers.shift()?.();
  sink?.refused({ code: "NOT_FOUND", message: "gone" });
  expect(store.getShown()).toEqual({ kind: "refused", refusal: { code: "NOT_FOUND", message: "gone" } });
});
