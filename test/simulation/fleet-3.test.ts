// SPDX-License-Identifier: Apache-2.0
// The hub and agents that ship, with everything around them going wrong: part 3 of 4, so that they run side by side.
// More seeds: `npm run soak`.
import { defineSeedTests } from "./fleet/seed-suite.ts";

defineSeedTests({
  part: 3,
  promise: "[SI1] whatever goes wrong, everything that part 1 promises holds",
  meeting: "[SI11] the seeds together meet every fault and every way out of it",
});
