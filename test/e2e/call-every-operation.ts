// SPDX-License-Identifier: Apache-2.0
import { expect } from "vitest";
import type { DocumentedHub, DocumentOperation } from "../support/call-document.ts";
import { knownRequests } from "./known-requests.ts";

/** What did not fit the document when all its operations were called. */
export interface CalledOperations {
  /** Answers that do not fit their schema. */
  readonly faults: readonly string[];
  /** Requests that fit their schema and were not read. */
  readonly unread: readonly string[];
  /** Methods that refused each request, sorted. */
  readonly refusing: readonly string[];
}

/** Calls every operation with requests that are made from the document, and with those about known objects. */
export async function callEveryOperation(hub: DocumentedHub, token: string): Promise<CalledOperations> {
  const [faults, unread, refusing] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const send = async (operation: DocumentOperation, request: unknown): Promise<void> => {
    const { path, verb } = operation;
    const answer = await hub.call(operation, request, token);
    for (const fault of answer.faults) faults.add(`${verb} ${path}: ${fault}`);
    if (answer.status === 200) refusing.delete(methodOf(path));
    // A request that was read is refused with a code of the hub.
    else if (answer.code === "") unread.add(`${verb} ${path}: ${JSON.stringify(answer.body)}`);
  };
  for (const { path } of hub.operations) refusing.add(methodOf(path));
  for (const operation of hub.operations) {
    await send(operation, {});
    await send(operation, hub.sampleRequest(operation, "sample"));
  }
  for (const [method, request] of knownRequests) {
    for (const operation of hub.operations.filter(({ path }) => methodOf(path) === method)) {
      expect(hub.checkRequest(operation, request)).toEqual([]);
      await send(operation, request);
    }
  }
  return { faults: [...faults], unread: [...unread], refusing: [...refusing].sort() };
}

function methodOf(path: string): string {
  return path.split("/").at(-1) ?? "";
}
