// SPDX-License-Identifier: Apache-2.0

/** True under `npm run test:kubernetes`, which has the time for everything; `npm test` compares a sample. */
export function isWholeRun(env: NodeJS.ProcessEnv = process.env): boolean {
  return env["FLOTILLA_KUBERNETES_TESTS"] === "whole";
}
