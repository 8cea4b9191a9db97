// SPDX-License-Identifier: Apache-2.0
// The verbs about the hubs that a user has logged in to.
import { createClient, type Transport } from "@connectrpc/connect";
import { FlotillaError } from "../base/error.ts";
import { LoginService } from "../gen/flotilla/page/v1/page_pb.ts";
import { quote } from "../model/text.ts";
import {
  addContext,
  findContext,
  forgetToken,
  type HubContext,
  type HubContexts,
  removeContext,
  useContext,
} from "./hub-contexts.ts";
import type { Io } from "./io.ts";
import { type OutputFormat, printResult } from "./output.ts";
import { renderTable } from "./table.ts";
import { toTerminalText } from "./terminal-text.ts";

/** How the contexts are kept. */
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

/** The URL of a hub as people write it: `hub.example.com`, `hub.example.com:443` or a whole URL. Throws INVALID_ARGUMENT. */
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

/** Asks the hub whose token it is, and keeps the context. The token is checked before anything is written. */
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

/** Forgets the token of a context, or of the one in use. At the hub it stays good: `flotilla token revoke` ends it. */
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
      ? "no contexts; `flotilla login HUB` makes one\n"
      : renderTable(["", "NAME", "HUB", "USER", "TRUST"], rows);
  await printResult(io.stdout, output, { value: { contexts: value }, text });
}

/** Has verbs call this hub from now on. */
export async function switchContext({ io, output, store }: ContextCall, name: string): Promise<void> {
  store.save(useContext(store.load(), name));
  const text = `${toTerminalText(`context ${name} is in use`)}\n`;
  await printResult(io.stdout, output, { value: { context: name, isCurrent: true }, text });
}

/** Forgets a context with its token. */
export async function dropContext({ io, output, store }: ContextCall, name: string): Promise<void> {
  store.save(removeContext(store.load(), name));
  const text = `${toTerminalText(`context ${name} is removed`)}\n`;
  await printResult(io.stdout, output, { value: { context: name, removed: true }, text });
}
