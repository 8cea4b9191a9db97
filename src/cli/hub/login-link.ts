// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { LoginService } from "../../gen/flotilla/page/v1/page_pb.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import type { HubCall } from "./hub-call.ts";

/** The user of the link, and the URL of the page. */
export interface WantedLink {
  /** "" = the caller. */
  readonly user: string;
  readonly groups: readonly string[];
  /** URL of the hub for a browser. */
  readonly pageUrl: string;
}

/** The link of a code. The code is after `#`, which browsers do not send, so it appears in no log (PG4). */
export function toLoginLink(baseUrl: string, code: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/ui/login#code=${code}`;
}

/** Creates a login link and prints it. In text format only the link goes to standard output. */
export async function createLoginLink({ transport, io, output, signal }: HubCall, wanted: WantedLink): Promise<void> {
  const request = { user: wanted.user, groups: [...wanted.groups] };
  const made = await createClient(LoginService, transport).createLoginLink(request, { signal });
  const link = toLoginLink(wanted.pageUrl, made.code);
  const expiresInSeconds = Math.round(Number(made.expiresInMs) / 1_000);
  if (output === "text") {
    const minutes = Math.round(expiresInSeconds / 60);
    say(io, toTerminalText(`this link logs in as ${made.user}, once, within ${minutes} minutes`));
  }
  const value = { link, user: made.user, expiresInSeconds };
  await printResult(io.stdout, output, { value, text: `${toTerminalText(link)}\n` });
}
