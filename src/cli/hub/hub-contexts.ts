// SPDX-License-Identifier: Apache-2.0
// The hubs that a user has logged in to, stored in ~/.flotilla/config (IN22).
import { join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { FieldReader } from "../../model/field-reader.ts";
import { quote } from "../../model/text.ts";

/** One hub with its URL, CA and token. Never print it as a whole. */
export interface HubContext {
  readonly name: string;
  readonly url: string;
  /** PEM of the CA that must have signed its certificate; undefined: the system's CAs. */
  readonly ca: string | undefined;
  /** Undefined after a logout. */
  readonly token: string | undefined;
  /** The token's user, as the hub reported at login. */
  readonly user: string;
}

/** All contexts. Names are unique; `current` is one of them or undefined. */
export interface HubContexts {
  readonly current: string | undefined;
  readonly contexts: readonly HubContext[];
}

export const noContexts: HubContexts = { current: undefined, contexts: [] };

/** The path of the file. Undefined if the environment has no home directory. */
export function contextsPath(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const home = environment["HOME"] ?? environment["USERPROFILE"];
  return home === undefined || home === "" ? undefined : join(home, ".flotilla", "config");
}

/** Parses the file. Throws MALFORMED with the file name if it is invalid. */
export function parseHubContexts(path: string, text: string): HubContexts {
  const fields = FieldReader.ofJson(text);
  const contexts = fields.entries("contexts").map(
    (each): HubContext => ({
      name: each.requiredText("name"),
      url: each.requiredText("hub"),
      ca: each.text("ca"),
      token: each.text("token"),
      user: each.text("user") ?? "",
    }),
  );
  const current = fields.text("current");
  const problem = fields.problem(path);
  if (problem === undefined) return { current, contexts };
  throw new FlotillaError("MALFORMED", `${problem}; remove the file and log in again`);
}

/** The text of the file. It contains tokens. */
export function formatHubContexts({ current, contexts }: HubContexts): string {
  const list = contexts.map(({ name, url, ca, token, user }) => ({ name, hub: url, user, ca, token }));
  return `${JSON.stringify({ current, contexts: list }, undefined, 2)}\n`;
}

/** Adds this context, replaces one with the same name, and makes it current. */
export function addContext({ contexts }: HubContexts, context: HubContext): HubContexts {
  return { current: context.name, contexts: [...contexts.filter(({ name }) => name !== context.name), context] };
}

/** Makes this context current. Throws NOT_FOUND. */
export function useContext(contexts: HubContexts, name: string): HubContexts {
  return { ...contexts, current: findContext(contexts, name).name };
}

/** Removes this context; if it was current, none is. Throws NOT_FOUND. */
export function removeContext(known: HubContexts, name: string): HubContexts {
  findContext(known, name);
  return {
    current: known.current === name ? undefined : known.current,
    contexts: known.contexts.filter((each) => each.name !== name),
  };
}

/** Removes the token of this context. Throws NOT_FOUND. */
export function forgetToken(known: HubContexts, name: string): HubContexts {
  findContext(known, name);
  const contexts = known.contexts.map((each) => (each.name === name ? { ...each, token: undefined } : each));
  return { ...known, contexts };
}

/** The named context, or the current one. Throws NOT_FOUND. */
export function findContext({ current, contexts }: HubContexts, name = current): HubContext {
  const found = contexts.find((each) => each.name === name);
  if (found !== undefined) return found;
  const what = name === undefined ? "no context is in use" : `there is no context ${quote(name)}`;
  throw new FlotillaError("NOT_FOUND", `${what}; \`flotilla context list\` lists the contexts`);
}
