// SPDX-License-Identifier: Apache-2.0

/** Bytes of one object: what a Kubernetes Deployment of one container has as JSON. */
const objectBytes = 1400;
/** Rows that are written over and over; about one write in five makes a new row during a run. */
const rowCount = 20_000;

const encoder = new TextEncoder();

/** An object that is unlike all others, so that no write is taken for one that changes nothing. */
export function makeObject(serial: number): Uint8Array {
  const start = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":${serial}},"spec":"`;
  return encoder.encode(start.padEnd(objectBytes - 2, "x").concat('"}'));
}

/** The key of the n-th write: rows in no particular order, as requests come. */
export function makeKey(serial: number): readonly [string, string, string, string] {
  const row = Math.imul(serial, 2_654_435_761) >>> 0;
  return ["root", "apps/deployments", `ns-${row % 50}`, `web-${row % rowCount}`];
}
