// SPDX-License-Identifier: Apache-2.0
import type { GivenSource, OptionSpec } from "./option.ts";

/** The unparsed value of one option. */
export interface GivenValue {
  readonly spec: OptionSpec;
  readonly source: GivenSource;
  /** As in a Mistake. */
  readonly place: string;
  /** One text; for a list any number. */
  readonly texts: readonly string[];
  /** The folder that relative paths start from. Default: the working folder. */
  readonly folder?: string;
}
