// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { TokenService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { toTokenObject, toTokenRow } from "./token-view.ts";

/** The token to create. */
export interface NewTokenWish {
  readonly user: string;
  readonly groups: readonly string[];
  readonly description: string;
  /** 0: it does not expire. Rounded up to whole seconds. */
  readonly ttlMs: number;
}

/**
 * Creates a token and prints its secret, which cannot be shown again. In text format only the secret goes to standard
 * output, for scripts.
 */
export async function createToken({ transport, io, output, signal }: HubCall, wanted: NewTokenWish): Promise<void> {
  const request = {
    user: wanted.user,
    groups: [...wanted.groups],
    description: wanted.description,
    ttlSeconds: Math.ceil(wanted.ttlMs / 1_000),
  };
  const { token, secret } = await createClient(TokenService, transport).createToken(request, { signal });
  if (token === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the token it made");
  if (output === "text") {
    const [id = "", user = "", groups, , expires] = toTokenRow(token, io.now());
    say(
      io,
      toTerminalText(`token ${id} for ${user}, groups ${groups}, expires ${expires}; it is shown only this once`),
    );
  }
  const value = { token: toTokenObject(token), secret };
  await printResult(io.stdout, output, { value, text: `${toTerminalText(secret)}\n` });
}
