// SPDX-License-Identifier: Apache-2.0
// Runs before every test file: properties draw the same cases each time, so that what fails once fails again, on the
// change that made it fail. Other cases are drawn by another PROPERTY_SEED, as `npm run soak` does.
import * as fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["PROPERTY_SEED"] ?? "1") });
