// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { type Token, TokenService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { renderTable } from "../output/text-table.ts";
import { isLogin, tokenColumns, toTokenObject, toTokenRow } from "./token-view.ts";

/**
 * Prints all tokens as of one revision, with the cursor to watch from. Logins of the page are listed separately (CL19).
 */
export async function listTokens(call: HubCall): Promise<void> {
  const { tokens, cursor } = await loadTokens(call);
  const { io, output } = call;
  const logins = tokens.filter(isLogin);
  const others = tokens.filter((token) => !isLogin(token));
  const tableOf = (each: readonly Token[]): string =>
    renderTable(
      tokenColumns,
      each.map((token) => toTokenRow(token, io.now())),
    );
  const text = others.length === 0 ? "no tokens\n" : tableOf(others);
  const loginText = logins.length === 0 ? "" : `\nLogins of the page:\n${tableOf(logins)}`;
  await printResult(io.stdout, output, {
    value: { tokens: others.map(toTokenObject), logins: logins.map(toTokenObject), cursor },
    text: `${text}${loginText}`,
  });
}

async function loadTokens({ transport, signal }: HubCall): Promise<{ tokens: readonly Token[]; cursor: string }> {
  const client = createClient(TokenService, transport);
  const tokens: Token[] = [];
  const seen = new Set<string>();
  for (let pageToken = ""; ; ) {
    const page = await client.listTokens({ pageToken }, { signal });
    tokens.push(...page.tokens);
    pageToken = page.nextPageToken;
    if (pageToken === "") return { tokens, cursor: page.cursor };
    if (seen.has(pageToken)) throw new FlotillaError("MALFORMED", "the hub sent the same page of tokens twice");
    seen.add(pageToken);
  }
}
