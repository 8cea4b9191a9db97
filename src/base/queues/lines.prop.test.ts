// SPDX-License-Identifier: Apache-2.0
// The two lines under the queues, LinkedList and DueHeap, each against a plain array.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DueHeap } from "./due-heap.ts";
import { LinkedList } from "./linked-list.ts";

type Step =
  | { readonly kind: "push"; readonly dueMs: number }
  | { readonly kind: "take"; readonly nowMs: number }
  | { readonly kind: "leave"; readonly nth: number };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("push" as const), dueMs: fc.nat(99) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("take" as const), nowMs: fc.nat(99) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("leave" as const), nth: fc.nat(60) }) },
  ),
  { minLength: 20, maxLength: 60 },
);

interface Value {
  readonly dueMs: number;
  readonly order: number;
}

interface Line {
  readonly length: number;
  push(value: Value): () => void;
  take(nowMs: number): Value | undefined;
}

/** Runs the steps on the line and on `model`, an array that `sort` keeps in the order of taking. */
function compare(line: Line, script: readonly Step[], sort: (model: Value[]) => void, isTimed: boolean) {
  const model: Value[] = [];
  const pushed: { readonly value: Value; readonly leave: () => void }[] = [];
  const takeOfModel = (nowMs: number): Value | undefined =>
    isTimed && (model[0]?.dueMs ?? 0) > nowMs ? undefined : model.shift();
  for (const step of script) {
    let [taken, wanted]: (Value | undefined)[] = [];
    if (step.kind === "push") {
      const value = { dueMs: step.dueMs, order: pushed.length };
      pushed.push({ value, leave: line.push(value) });
      model.push(value);
      sort(model);
    } else if (step.kind === "take") {
      taken = line.take(step.nowMs);
      wanted = takeOfModel(step.nowMs);
    } else {
      // Also of values that left before: those must change nothing.
      const chosen = pushed[step.nth % Math.max(1, pushed.length)];
      chosen?.leave();
      const at = model.findIndex((value) => value === chosen?.value);
      if (at >= 0) model.splice(at, 1);
    }
    expect(taken).toBe(wanted);
    expect(line.length).toBe(model.length);
  }
  return { rest: takeRest(line), wanted: model };
}

function takeRest(line: Line): Value[] {
  const rest: Value[] = [];
  for (
    let value = line.take(Number.POSITIVE_INFINITY);
    value !== undefined;
    value = line.take(Number.POSITIVE_INFINITY)
  )
    rest.push(value);
  return rest;
}

test("a linked list gives its values in order of adding, without those that left", () => {
  fc.assert(
    fc.property(steps, (script) => {
      const list = new LinkedList<Value>();
      const line: Line = {
        get length() {
          return list.length;
        },
        push: (value) => list.push(value),
        take: () => {
          const { first } = list;
          return list.shift() === first ? first : undefined;
        },
      };
      const { rest, wanted } = compare(line, script, () => undefined, false);
      expect(rest).toEqual(wanted);
    }),
  );
});

test("a due heap gives its values by due time, then by order of adding, none too early, without those that left", () => {
  fc.assert(
    fc.property(steps, (script) => {
      const heap = new DueHeap<Value>();
      const line: Line = {
        get length() {
          return heap.length;
        },
        push: (value) => heap.push(value.dueMs, value),
        take: (nowMs) => heap.takeDue(nowMs),
      };
      const sort = (model: Value[]) => model.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
      const { rest, wanted } = compare(line, script, sort, true);
      expect(rest).toEqual(wanted);
    }),
  );
});
