// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { type JoinToken, JoinTokenSchema, JoinTokenService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatRelative } from "../output/relative-time.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { renderTable } from "../output/text-table.ts";

/** The join token to create. */
export interface NewJoinToken {
  readonly description: string;
  readonly uses: number;
  readonly joinTtlMs: number;
  readonly needsApproval: boolean;
}

/**
 * Creates a join token for clusters whose ids match the pattern and prints its secret, which cannot be shown again. In
 * text format only the secret goes to standard output, for scripts.
 */
export async function createJoinToken(call: HubCall, namePattern: string, wanted: NewJoinToken): Promise<void> {
  const { transport, io, output, signal } = call;
  const request = {
    namePattern,
    description: wanted.description,
    uses: wanted.uses,
    needsApproval: wanted.needsApproval,
    ttlSeconds: Math.ceil(wanted.joinTtlMs / 1_000),
  };
  const answer = await createClient(JoinTokenService, transport).createJoinToken(request, { signal });
  const { token, secret, hubName, hubCa } = answer;
  if (token === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the token it made");
  if (output === "text") {
    const uses = token.usesLeft === 1 ? "one cluster" : `${token.usesLeft} clusters`;
    const expires =
      token.expiresAt === undefined ? "" : `, expires ${formatRelative(timestampMs(token.expiresAt), io.now())}`;
    say(
      io,
      toTerminalText(
        `join token ${token.id} for ${uses} named ${token.namePattern}${expires}; it is shown only this once`,
      ),
    );
  }
  const value = { token: toJoinTokenObject(token), secret, hubName, hubCa };
  await printResult(io.stdout, output, { value, text: `${toTerminalText(secret)}\n` });
}

const columns = ["ID", "CLUSTERS", "USES", "APPROVAL", "EXPIRES", "DESCRIPTION"];

/** Prints the join tokens that can still be used. */
export async function listJoinTokens({ transport, io, output, signal }: HubCall): Promise<void> {
  const { tokens } = await createClient(JoinTokenService, transport).listJoinTokens({}, { signal });
  const rows = tokens.map(({ id, namePattern, usesLeft, needsApproval, expiresAt, description }) => {
    const expires = expiresAt === undefined ? "never" : formatRelative(timestampMs(expiresAt), io.now());
    return [id, namePattern, String(usesLeft), needsApproval ? "yes" : "no", expires, description];
  });
  const text = rows.length === 0 ? "no join tokens\n" : renderTable(columns, rows);
  await printResult(io.stdout, output, { value: { tokens: tokens.map(toJoinTokenObject) }, text });
}

/** Revokes a join token; clusters that joined with it stay. */
export async function revokeJoinToken({ transport, io, output, signal }: HubCall, id: string): Promise<void> {
  await createClient(JoinTokenService, transport).revokeJoinToken({ id }, { signal });
  await printResult(io.stdout, output, { value: { id, revoked: true }, text: `${toTerminalText(id)} is revoked\n` });
}

function toJoinTokenObject(token: JoinToken): JsonObject {
  return toPlainJson(JoinTokenSchema, token);
}
