// SPDX-License-Identifier: Apache-2.0
// The verbs about the hubs that a user has logged in to.
import { createClient, type Transport } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { LoginService } from "../../gen/flotilla/page/v1/page_pb.ts";
import { quote } from "../../model/text.ts";
import type { Io } from "../output/io.ts";
import { type OutputFormat, printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { renderTable } from "../output/text-table.ts";
import {
  addContext,
  findContext,
  forgetToken,
  type HubContext,
  type HubContexts,
  removeContext,
  useContext,
} from "./hub-contexts.ts";

/** Storage of the contexts. */
export interface ContextStore {
  load(): HubContexts;
  save(contexts: HubContexts): void;
}

export interface ContextCall {
  readonly io: Io;
  readonly output: OutputFormat;
  readonly store: ContextStore;
}

/** The port that a hub listens on by default. */
const defaultPort = "7443";

/** Parses the address of a hub: `hub.example.com`, `hub.example.com:443` or a whole URL. Throws INVALID_ARGUMENT. */
export function toHubUrl(text: string): string {
  const hasScheme = /^[a-z]+:\/\//i.test(text);
  const whole = hasScheme ? text : `https://${text}${/:\d+$/.test(text) ? "" : `:${defaultPort}`}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url?.protocol === "https:" && url.username === "" && url.pathname === "/" && url.search === "") return url.origin;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `${quote(text)} is not the address of a hub; write HOST, HOST:PORT or https://HOST:PORT`,
  );
}

/** Reads the token's user from the hub, which also checks the token, and then saves the context. */
export async function logIn(
  { io, output, store }: ContextCall,
  context: Omit<HubContext, "user">,
  transport: Transport,
  signal: AbortSignal,
): Promise<void> {
  const { viewer } = await createClient(LoginService, transport).getViewer({}, { signal });
  const user = viewer?.user ?? "";
  const { name, url } = context;
  store.save(addContext(store.load(), { ...context, user }));
  const text = toTerminalText(`logged in to ${url} as ${user}; context ${name} is in use`);
  await printResult(io.stdout, output, { value: { context: name, hub: url, user }, text: `${text}\n` });
}

/**
 * Deletes the token of a context, by default of the current one. The token stays valid at the hub: `flotilla token
 * revoke` revokes it.
 */
export async function logOut({ io, output, store }: ContextCall, wanted: string | undefined): Promise<void> {
  const contexts = store.load();
  const { name } = findContext(contexts, wanted);
  store.save(forgetToken(contexts, name));
  const text = `${toTerminalText(`logged out of ${name}`)}\n`;
  await printResult(io.stdout, output, { value: { context: name, loggedOut: true }, text });
}

/** Prints the contexts, without their tokens. */
export async function listContexts({ io, output, store }: ContextCall): Promise<void> {
  const { current, contexts } = store.load();
  const rows = contexts.map(({ name, url, user, token, ca }) => [
    name === current ? "*" : "",
    name,
    url,
    token === undefined ? "-" : user,
    ca === undefined ? "system" : "pinned",
  ]);
  const value = contexts.map(({ name, url, user, token, ca }) => ({
    name,
    hub: url,
    user,
    isCurrent: name === current,
    isLoggedIn: token !== undefined,
    isPinned: ca !== undefined,
  }));
  const text =
    rows.length === 0
      ? "no contexts; `flotilla login HUB` creates one\n"
      : renderTable(["", "NAME", "HUB", "USER", "TRUST"], rows);
  await printResult(io.stdout, output, { value: { contexts: value }, text });
}

/** Makes this context the one that verbs use. */
export async function switchContext({ io, output, store }: ContextCall, name: string): Promise<void> {
  store.save(useContext(store.load(), name));
  const text = `${toTerminalText(`context ${name} is in use`)}\n`;
  await printResult(io.stdout, output, { value: { context: name, isCurrent: true }, text });
}

/** Deletes a context with its token. */
export async function dropContext({ io, output, store }: ContextCall, name: string): Promise<void> {
  store.save(removeContext(store.load(), name));
  const text = `${toTerminalText(`context ${name} is removed`)}\n`;
  await printResult(io.stdout, output, { value: { context: name, removed: true }, text });
}
