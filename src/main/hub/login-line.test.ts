// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { toLoginLine } from "./login-line.ts";

const link = "http://127.0.0.1:7080/ui/login#code=flt_login_x";
const options = { output: "text", dataDir: ".flotilla" } as const;
const at = (isTerminal: boolean) => ({ stdout: { write: () => undefined, isTerminal } });
const unwanted = (): string => expect.unreachable("no link may be made");

test("[PG4][CL17] a login link is made for a terminal, and for nothing else", () => {
  expect(toLoginLine(at(true), () => link, options)).toEqual({ text: expect.stringMatching(/: http.*x\n$/), link });
  expect(toLoginLine(at(false), unwanted, options)).toEqual({
    text: "For a login link to the page run: flotilla login-link --data-dir .flotilla\n",
    link: undefined,
  });
  expect(toLoginLine(at(true), unwanted, { ...options, output: "json" })).toEqual({ text: "", link: undefined });
  expect(toLoginLine(at(true), undefined, options)).toEqual({ text: "", link: undefined });
});
