// SPDX-License-Identifier: Apache-2.0
// The hub and agents that ship, with everything around them going wrong: part 1 of 4, so that they run side by side.
// More seeds: `npm run soak`.
import { defineSeedTests } from "./fleet/seed-suite.ts";

defineSeedTests({
  part: 1,
  promise:
    "[SI1, SI29, N-1, N-24, N-33, N-42, N-48, N-49, R-12, L2, L3, L4, L5, L7, L8, L9, L12, L14, L17, L20] whatever goes wrong, no row is shown that never was, or to a user who may not see it, none goes while its object is there, nothing acknowledged is lost, no outdated epoch writes, live is true, what cannot be read harms only itself; afterwards the hub shows exactly what the clusters are, and rests",
  meeting:
    "[SI11, SI12, SI13, SI14, SI16, SI18, SI20, SI24, N-25] the seeds together meet every fault and every way out of it",
});
