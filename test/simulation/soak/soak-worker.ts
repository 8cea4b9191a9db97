// SPDX-License-Identifier: Apache-2.0
// One process of `npm run soak`: is sent seeds one by one, runs the worlds of each, and answers what came of it.
import { runSeed } from "./run-seed.ts";

// The parent decides when it is over; Ctrl-C reaches both.
process.on("SIGINT", () => undefined);

process.on("message", (seed: unknown) => {
  if (typeof seed !== "number") throw new Error("a worker is sent seeds");
  void runSeed(seed).then((soaked) => process.send?.(soaked));
});
