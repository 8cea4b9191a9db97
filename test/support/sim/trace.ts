// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { LogFields, Logger } from "../../../src/base/log.ts";
import type { Clock } from "../../../src/base/time/clock.ts";

/**
 * What happened in a world, one line each, in order. Two runs were the same exactly if their hashes are equal (SI1).
 */
export class Trace {
  readonly #clock: Clock;
  readonly #lines: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Adds a line with the world's time before it. Nothing of the machine may be in it: no path, no real time, no
   * address.
   */
  add(line: string): void {
    this.#lines.push(`${this.#clock.nowMs()} ${line}`);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** SHA-256 of all lines so far. */
  hash(): string {
    return createHash("sha256").update(this.#lines.join("\n")).digest("hex");
  }

  /** A logger whose lines go here, so that what simulated code logs is part of what must be equal. */
  logger(name: string, fields: LogFields = {}): Logger {
    const at =
      (level: string) =>
      (message: string, more: LogFields = {}, error?: unknown): void => {
        const text = Object.entries({ ...fields, ...more }).map(([key, value]) => `${key}=${value}`);
        if (error instanceof Error) text.push(`error=${error.message}`);
        this.add([name, level, message, ...text].join(" "));
      };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      with: (more) => this.logger(name, { ...fields, ...more }),
    };
  }
}
