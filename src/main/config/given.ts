// SPDX-License-Identifier: Apache-2.0
import type { GivenSource, OptionSpec } from "./option.ts";

/** What somebody wrote for one option, not yet looked into. */
export interface Given {
  readonly spec: OptionSpec;
  readonly source: GivenSource;
  /** As in a Mistake. */
  readonly place: string;
  /** One text; for a list any number. */
  readonly texts: readonly string[];
  /** The folder that a relative path starts from; left out, the working folder. */
  readonly folder?: string;
}
