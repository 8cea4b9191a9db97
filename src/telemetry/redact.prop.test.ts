// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { createPinoLogger } from "./pino-logger.ts";

const secretBody = fc.stringMatching(/^[A-Za-z0-9_-]{12,40}$/);

test("[L18] no part of a token reaches the log, by any route and with any text around it", () => {
  fc.assert(
    fc.property(secretBody, fc.string(), fc.string(), (body, before, after) => {
      // A letter right behind it would belong to the token, as far as anybody can tell from the text.
      const text = `${before} flt_${body} ${after}`;
      const lines: string[] = [];
      const log = createPinoLogger({
        level: "debug",
        sink: { write: (line) => void lines.push(line) },
        clock: new ManualClock(),
        fields: { base: text },
      });
      const cause = new Error(text, { cause: text });
      log.debug(text, { [`name ${text}`]: text });
      log.info("constant", { token: body, password: body });
      log
        .with({ bound: text })
        .error("constant", {}, new FlotillaError("UNAVAILABLE", text, { cause, ids: { peer: text, [text]: 1 } }));
      log.warn("constant", {}, new AggregateError([cause, text], text));
      log.warn("constant", {}, text);
      expect(lines).toHaveLength(5);
      for (const line of lines) {
        expect(line).not.toContain(body);
        expect(JSON.parse(line)).toHaveProperty("msg");
      }
    }),
    { numRuns: 60 },
  );
});
