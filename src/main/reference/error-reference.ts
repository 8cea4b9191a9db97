// SPDX-License-Identifier: Apache-2.0
import { type ErrorCodeSpec, errorCodes } from "../../base/error-codes.ts";

const introduction = `# Errors

<!-- Written by \`npm run generate\` from src/base/error-codes.ts; changes made here are lost. -->

Every failure has one of these codes, the same on every surface: in an RPC's error detail, in a Kubernetes Status, in a log line and, as the exit
code, on the command line. A code is never renamed or given another meaning.

**Next** is what a caller should do: \`retry\` the same after a delay; \`resume\`, reconnect and go on from its position; \`relist\`, its position is
gone, start from a list; \`reauth\`, get a new credential; \`stop\`, the same call can never work.

**Exit** codes: 0 done, 1 failed, 2 wrong call or configuration, 3 not found, 4 not allowed, 5 unavailable, 6 conflict, 7 stored bytes or versions.

| Code | Means | Next | Connect | HTTP | Kubernetes reason | Exit |
|---|---|---|---|---|---|---|
`;

/** The text of docs/reference/errors.md. */
export function renderErrorReference(codes: Readonly<Record<string, ErrorCodeSpec>> = errorCodes): string {
  const rows = Object.entries(codes).map(([code, { means, next, connect, http, kubernetes, exit }]) => {
    const cells = [`\`${code}\``, means, next, `\`${connect}\``, http, `\`${kubernetes}\``, exit];
    return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |\n`;
  });
  return introduction + rows.join("");
}
