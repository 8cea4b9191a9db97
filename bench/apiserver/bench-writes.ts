// SPDX-License-Identifier: Apache-2.0
import type { AskConnection } from "./light-client.ts";
import type { ObjectKind } from "./objects.ts";
import { median, report, spread } from "./report.ts";
import type { BenchServer } from "./servers.ts";
import { createRequest, percentile, runTurn, type Turn, updateRequest, type WriteRequest } from "./writes.ts";

/**
 * The servers take turns of this length and the sums count: a shared machine is not the same for two seconds running.
 */
const turnMs = 1000;

/** A server under measurement, and connections to it, one for each write in flight. */
export interface Side {
  readonly server: BenchServer;
  readonly connections: readonly AskConnection[];
}

export interface Sides<T> {
  readonly ours: T;
  readonly real: T;
}

export interface WritePlan {
  readonly what: string;
  readonly nextRequest: (serial: number) => WriteRequest;
  /** It ends when each server has had so many writes, */
  readonly writeCount: number;
  /** or so many turns. */
  readonly turnCount: number;
}

export function createPlan(kind: ObjectKind, limits: { writeCount: number; turnCount: number }): WritePlan {
  return { what: `${kind.name} creates/s`, nextRequest: (serial) => createRequest(kind, serial), ...limits };
}

/** `firstSerial` is behind all updates before, so that each of these is a change. */
export function updatePlan(kind: ObjectKind, objectCount: number, turnCount: number, firstSerial = 0): WritePlan {
  const nextRequest = (serial: number): WriteRequest => updateRequest(kind, firstSerial + serial, objectCount);
  return { what: `${kind.name} updates/s`, nextRequest, writeCount: Number.POSITIVE_INFINITY, turnCount };
}

/**
 * A slow machine may leave the filling unfinished, so that the bench has an end: four times what it takes on two free
 * cores.
 */
const fillLimitMs = 120_000;

/** Creates objects, not measured, until there are as many as wanted; gives how many there are. */
export async function fillUp(
  { connections }: Side,
  kind: ObjectKind,
  counts: { made: number; wanted: number },
): Promise<number> {
  let count = counts.made;
  await runTurn(
    connections,
    () => createRequest(kind, count++),
    (elapsedMs) => elapsedMs >= fillLimitMs || count >= counts.wanted,
  );
  return count;
}

/** The writes to one server so far. */
class Ledger {
  readonly turns: Turn[] = [];
  #count = 0;
  #cpuMs = 0;
  readonly #side: Side;
  readonly #plan: WritePlan;

  constructor(side: Side, plan: WritePlan) {
    this.#side = side;
    this.#plan = plan;
  }

  get count(): number {
    return this.#count;
  }

  get isOver(): boolean {
    return this.#count >= this.#plan.writeCount || this.turns.length >= this.#plan.turnCount;
  }

  /** Of all turns together. */
  get perSecond(): number {
    return (1000 * this.#count) / this.turns.reduce((sum, { tookMs }) => sum + tookMs, 0);
  }

  /** Processor time of the server: the same on a busy machine as on a quiet one. */
  get cpuMsPerWrite(): number {
    return this.#cpuMs / this.#count;
  }

  /** Of the middle turn: what other work on the machine does to one turn does not decide. */
  percentileMs(part: number): number {
    return median(this.turns.map(({ latenciesMs }) => percentile(latenciesMs, part)));
  }

  async runTurn(): Promise<void> {
    const cpuBeforeMs = this.#side.server.readCpuMs();
    const turn = await runTurn(
      this.#side.connections,
      () => this.#plan.nextRequest(this.#count++),
      (elapsedMs) => elapsedMs >= turnMs || this.#count >= this.#plan.writeCount,
    );
    this.turns.push(turn);
    this.#cpuMs += this.#side.server.readCpuMs() - cpuBeforeMs;
  }
}

/** Writes to both servers in turns and tells rates and latencies; gives how many writes each has had. */
export async function benchWrites(sides: Sides<Side>, plan: WritePlan): Promise<Sides<number>> {
  const ours = new Ledger(sides.ours, plan);
  const real = new Ledger(sides.real, plan);
  while (!ours.isOver || !real.isOver) for (const ledger of [ours, real]) if (!ledger.isOver) await ledger.runTurn();
  const ratio = ours.perSecond / real.perSecond;
  const p99Ratio = ours.percentileMs(0.99) / real.percentileMs(0.99);
  report(`${plan.what}, ${sides.ours.connections.length} in flight`, {
    ours: ours.perSecond,
    real: real.perSecond,
    ratio,
    ratioSpread: spread(ratiosOf(ours.turns, real.turns, perSecondOf)),
    p50Ms: ours.percentileMs(0.5),
    realP50Ms: real.percentileMs(0.5),
    p99Ms: ours.percentileMs(0.99),
    realP99Ms: real.percentileMs(0.99),
    p99Ratio,
    p99RatioSpread: spread(ratiosOf(ours.turns, real.turns, ({ latenciesMs }) => percentile(latenciesMs, 0.99))),
    cpuMsPerWrite: ours.cpuMsPerWrite,
    realCpuMsPerWrite: real.cpuMsPerWrite,
    turns: Math.min(ours.turns.length, real.turns.length),
    meetsGoal: ratio >= 1 && p99Ratio <= 1,
  });
  return { ours: ours.count, real: real.count };
}

function perSecondOf({ latenciesMs, tookMs }: Turn): number {
  return (1000 * latenciesMs.length) / tookMs;
}

/** Ours against the real one, turn by turn. */
function ratiosOf(ours: readonly Turn[], real: readonly Turn[], of: (turn: Turn) => number): readonly number[] {
  return ours.flatMap((turn, index) => {
    const other = real[index];
    return other === undefined ? [] : [of(turn) / of(other)];
  });
}
