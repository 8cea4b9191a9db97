// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { parseClusterId } from "../model/cluster-id.ts";
import { type ConnectionState, type HealthState } from "./health-state.ts";
import { emptyIncidentBook, type IncidentStep, incidentOf, type OpenIncidents, stepIncidents } from "./incidents.ts";
import type { ReasonClass } from "./reason.ts";

class Rig {
  book: OpenIncidents = emptyIncidentBook;
  nowMs = 0;
  readonly effects: string[] = [];

  show(cluster: string, state: ConnectionState, reason: ReasonClass = "agentLost", region = ""): IncidentStep {
    return this.#step({ kind: "shown", cluster: parseClusterId(cluster), state, reason, region });
  }

  remove(cluster: string): IncidentStep {
    return this.#step({ kind: "removed", cluster: parseClusterId(cluster) });
  }

  #step(input: Parameters<typeof stepIncidents>[1]): IncidentStep {
    const step = stepIncidents(this.book, input, { nowMs: this.nowMs, joinMs: 10_000 });
    this.book = step.book;
    if (step.effect !== "none") this.effects.push(`${step.effect} ${step.changed?.number}`);
    return step;
  }
}

describe("incidents", () => {
  test("[HE11] 60 clusters lost within 10 s of each other by the same reason are one incident", () => {
    const rig = new Rig();
    for (let index = 0; index < 60; index += 1) {
      rig.nowMs = index * 10_000;
      rig.show(`c${index}`, "disconnected");
    }
    expect(rig.book.open).toHaveLength(1);
    expect(rig.book.open[0]?.out.size).toBe(60);
  });

  test("[HE11] a loss that comes later, or by another reason and in another region, is an incident of its own", () => {
    const rig = new Rig();
    rig.show("a", "disconnected", "agentLost", "eu");
    rig.show("b", "disconnected", "tls", "us");
    rig.nowMs = 10_001;
    rig.show("c", "disconnected", "agentLost", "eu");
    expect(rig.effects).toEqual(["began 1", "began 2", "began 3"]);
  });

  test("[HE11] losses of one region join whatever their reasons; no region is shared by nobody", () => {
    const rig = new Rig();
    rig.show("a", "disconnected", "agentLost", "eu");
    rig.show("b", "stale", "heartbeatMissed", "eu");
    rig.show("c", "disconnected", "tls", "");
    rig.show("d", "disconnected", "dns", "");
    expect(rig.effects).toEqual(["began 1", "joined 1", "began 2", "began 3"]);
    expect(rig.book.open[0]?.reasons).toEqual(["agentLost", "heartbeatMissed"]);
  });

  test("[HE11] a loss joins the newest open incident that it shares something with", () => {
    const rig = new Rig();
    rig.show("a", "disconnected", "agentLost", "eu");
    rig.show("b", "disconnected", "tls", "us");
    rig.show("c", "disconnected", "agentLost", "us");
    expect(rig.effects.at(-1)).toBe("joined 2");
  });

  test("[HE11] it ends when all its clusters are live again or removed, and not before", () => {
    const rig = new Rig();
    for (const cluster of ["a", "b", "c"]) rig.show(cluster, "disconnected");
    rig.show("a", "catchingUp");
    rig.show("a", "live");
    rig.remove("b");
    expect(rig.book.open).toHaveLength(1);
    rig.show("c", "catchingUp");
    const { changed } = rig.show("c", "live");
    expect(rig.effects).toEqual(["began 1", "joined 1", "joined 1", "returned 1", "returned 1", "ended 1"]);
    expect([...(changed?.returned ?? [])]).toEqual(["a", "c"]);
    expect(rig.book.open).toEqual([]);
  });

  test("[HE11] one outage of one cluster is one incident, however many signals it gives", () => {
    const rig = new Rig();
    for (const [state, reason] of [
      ["stale", "heartbeatMissed"],
      ["disconnected", "agentLost"],
      ["rejected", "rejected"],
      ["disconnected", "overloaded"],
      ["catchingUp", "none"],
      ["stale", "backlog"],
    ] as const) {
      rig.nowMs += 60_000;
      rig.show("a", state, reason);
    }
    rig.show("a", "live", "none");
    expect(rig.effects).toEqual(["began 1", "ended 1"]);
  });

  test("a cluster that was lost again after its return is out once, and returned no longer", () => {
    const rig = new Rig();
    rig.show("a", "disconnected");
    rig.show("b", "disconnected");
    rig.show("a", "live");
    rig.show("a", "disconnected");
    expect(rig.book.open).toHaveLength(1);
    expect(incidentOf(rig.book, parseClusterId("a"))).toMatchObject({ number: 1, returned: new Set() });
  });

  test.each<HealthState["shown"]["state"]>(["live", "catchingUp", "neverSeen"])("%s begins no incident", (state) => {
    expect(new Rig().show("a", state).effect).toBe("none");
  });
});
