// SPDX-License-Identifier: Apache-2.0
// The hubs that a user has logged in to, as they are kept in ~/.flotilla/config (IN22).
import { join } from "node:path";
import { FlotillaError } from "../base/error.ts";
import { isObject, listOf, textOf } from "../kinds/fields.ts";
import { quote } from "../model/text.ts";

/** One hub and the way to it. Holds a token: never printed as a whole. */
export interface HubContext {
  readonly name: string;
  readonly url: string;
  /** PEM of the authority that its certificate must come from; undefined: the system's. */
  readonly ca: string | undefined;
  /** Undefined after a logout. */
  readonly token: string | undefined;
  /** Whose token it is, as the hub said at login. */
  readonly user: string;
}

/** All of them. Names are unique; `current` is one of them or undefined. */
export interface HubContexts {
  readonly current: string | undefined;
  readonly contexts: readonly HubContext[];
}

export const noContexts: HubContexts = { current: undefined, contexts: [] };

/** Where they are kept. Undefined where the environment names no home. */
export function contextsPath(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const home = environment["HOME"] ?? environment["USERPROFILE"];
  return home === undefined || home === "" ? undefined : join(home, ".flotilla", "config");
}

/** Reads the text of the file. Throws MALFORMED, naming the file, for what is none. */
export function parseHubContexts(path: string, text: string): HubContexts {
  const value = parseJson(path, text);
  const contexts = listOf(value, "contexts").map((each): HubContext => {
    const name = textOf(each, "name");
    const url = textOf(each, "hub");
    if (name === undefined || url === undefined)
      throw new FlotillaError(
        "MALFORMED",
        `${path} holds a context without name and hub; remove the file and log in again`,
      );
    return { name, url, ca: textOf(each, "ca"), token: textOf(each, "token"), user: textOf(each, "user") ?? "" };
  });
  return { current: textOf(value, "current"), contexts };
}

function parseJson(path: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (reason) {
    // The parser's message quotes the text, which holds tokens.
    if (!(reason instanceof SyntaxError)) throw reason;
  }
  throw new FlotillaError("MALFORMED", `${path} is not JSON; remove it and log in again`);
}

/** The text of the file. Secret. */
export function formatHubContexts({ current, contexts }: HubContexts): string {
  const list = contexts.map(({ name, url, ca, token, user }) => ({ name, hub: url, user, ca, token }));
  return `${JSON.stringify({ current, contexts: list }, undefined, 2)}\n`;
}

/** With this context, in the place of one of the same name, and in use. */
export function addContext({ contexts }: HubContexts, context: HubContext): HubContexts {
  return { current: context.name, contexts: [...contexts.filter(({ name }) => name !== context.name), context] };
}

/** Throws NOT_FOUND. */
export function useContext(contexts: HubContexts, name: string): HubContexts {
  return { ...contexts, current: findContext(contexts, name).name };
}

/** Where it was in use, none is. Throws NOT_FOUND. */
export function removeContext(known: HubContexts, name: string): HubContexts {
  findContext(known, name);
  return {
    current: known.current === name ? undefined : known.current,
    contexts: known.contexts.filter((each) => each.name !== name),
  };
}

/** Without the token of this context. Throws NOT_FOUND. */
export function forgetToken(known: HubContexts, name: string): HubContexts {
  findContext(known, name);
  const contexts = known.contexts.map((each) => (each.name === name ? { ...each, token: undefined } : each));
  return { ...known, contexts };
}

/** The named context, or the one in use. Throws NOT_FOUND. */
export function findContext({ current, contexts }: HubContexts, name = current): HubContext {
  const found = contexts.find((each) => each.name === name);
  if (found !== undefined) return found;
  const what = name === undefined ? "no context is in use" : `there is no context ${quote(name)}`;
  throw new FlotillaError("NOT_FOUND", `${what}; \`flotilla context list\` shows those there are`);
}
