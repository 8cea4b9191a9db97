// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { TokenService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";

/**
 * Revokes a token at once. Throws NOT_FOUND if there is no token with this id, so that a typing mistake does not look
 * like success.
 */
export async function revokeToken({ transport, io, output, signal }: HubCall, id: string): Promise<void> {
  const { revoked } = await createClient(TokenService, transport).revokeToken({ id }, { signal });
  if (!revoked) throw new FlotillaError("NOT_FOUND", `there is no token ${id}`, { ids: { tokenId: id } });
  await printResult(io.stdout, output, { value: { id, revoked }, text: `token ${toTerminalText(id)} is revoked\n` });
}
