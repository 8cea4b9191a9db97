// SPDX-License-Identifier: Apache-2.0
// Given to Node by --import: notes each module that a process loads, a line each, in a file named after the process.
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

const folder = process.env["TRACE_FOLDER"];
if (folder === undefined) throw new Error("TRACE_FOLDER is not set");
const file = join(folder, `${process.pid}.modules`);

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
