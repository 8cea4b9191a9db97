// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { isBearerToken } from "../../model/bearer-token.ts";
import { type HubOfRunFile, parseRunFile, runFileName } from "../run-file.ts";
import { findContext, type HubContext, type HubContexts } from "./hub-contexts.ts";

/** The given options that select a hub and a token. */
export interface HubChoice {
  readonly hub: string | undefined;
  readonly caFile: string | undefined;
  readonly token: string | undefined;
  readonly dataDir: string;
  /** The hubs that the user has logged in to. Default: none. */
  readonly contexts?: HubContexts;
}

/** The address and credential of a call. */
export interface HubAddress {
  readonly url: string;
  /** CA certificates in PEM. Default: the system's. */
  readonly ca?: string;
  readonly token: string;
}

/** Reads a small text file; a failure is returned as a reason. */
export type ReadText = (
  path: string,
) => { readonly kind: "text"; readonly text: string } | { readonly kind: "unreadable"; readonly reason: string };

/**
 * The hub of `--hub`, else the one running in the data directory, else the one of the current context. The admin token
 * of the data directory is sent only to the hub running there; a hub given by URL needs its own token or a login.
 */
export function findHub(choice: HubChoice, readText: ReadText): HubAddress {
  const { hub, contexts } = choice;
  if (hub !== undefined) {
    const known = contexts?.contexts.find(({ url }) => url === new URL(hub).origin);
    return known === undefined ? findNamedHub(hub, choice, readText) : toAddress(known, choice, readText);
  }
  if (contexts?.current !== undefined && !isHubRunning(choice, readText))
    return toAddress(findContext(contexts), choice, readText);
  return findRunningHub(choice, readText);
}

/** Whether a hub runs in the data directory. */
export function isHubRunning({ dataDir }: Pick<HubChoice, "dataDir">, readText: ReadText): boolean {
  return readText(join(dataDir, runFileName)).kind === "text";
}

function toAddress(context: HubContext, { caFile, token }: HubChoice, readText: ReadText): HubAddress {
  const saved = context.token;
  if (token === undefined && saved === undefined)
    throw new FlotillaError(
      "UNAUTHENTICATED",
      `you are logged out of ${context.name}; log in with \`flotilla login ${context.url}\``,
    );
  const advice = `log in again with \`flotilla login ${context.url}\``;
  const own = token ?? parseToken(saved ?? "", `the saved token of context ${context.name}`, advice);
  const ca = caFile === undefined ? context.ca : load(caFile, "the certificates", readText);
  return { url: context.url, token: own, ...(ca === undefined ? {} : { ca }) };
}

/** The hub's URL and CA, for callers with their own credential. */
export function findHubPlace(choice: Omit<HubChoice, "token">, readText: ReadText): Pick<HubAddress, "url" | "ca"> {
  const { url, ca } = findHub({ ...choice, token: "" }, readText);
  return { url, ...(ca === undefined ? {} : { ca }) };
}

/**
 * The URL at which a browser of this user opens the page: the hub of `--hub`, else the plain listener of the one
 * running in the data directory, which causes no certificate warning.
 */
export function findPageUrl(
  { hub, dataDir, contexts }: Pick<HubChoice, "hub" | "dataDir" | "contexts">,
  readText: ReadText,
): string {
  if (hub !== undefined) return hub;
  if (contexts?.current !== undefined && !isHubRunning({ dataDir }, readText)) return findContext(contexts).url;
  const { httpUrl, hubUrl } = readRunFile(dataDir, readText);
  return httpUrl === "" ? hubUrl : httpUrl;
}

function findNamedHub(url: string, { caFile, token }: HubChoice, readText: ReadText): HubAddress {
  if (token === undefined) {
    throw new FlotillaError("UNAUTHENTICATED", "--hub needs a token: set FLOTILLA_TOKEN, or give --token file:PATH");
  }
  return { url, token, ...(caFile === undefined ? {} : { ca: load(caFile, "the certificates", readText) }) };
}

function findRunningHub({ dataDir, caFile, token }: HubChoice, readText: ReadText): HubAddress {
  const running = readRunFile(dataDir, readText);
  const trusted = caFile ?? running.caFile;
  const file = running.adminTokenFile;
  const advice = "delete it and restart the hub, which then writes a new one";
  return {
    url: running.hubUrl,
    ...(trusted === "" ? {} : { ca: load(trusted, "the certificates", readText) }),
    token: token ?? parseToken(load(file, "the admin token", readText).trim(), `the content of ${file}`, advice),
  };
}

/** Throws CONFIG_INVALID for a text that is not a token. The sentence names its source and never the text (CL30). */
function parseToken(text: string, source: string, advice: string): string {
  if (isBearerToken(text)) return text;
  throw new FlotillaError("CONFIG_INVALID", `${source} is not an access token; ${advice}`);
}

function readRunFile(dataDir: string, readText: ReadText): HubOfRunFile {
  const path = join(dataDir, runFileName);
  const file = readText(path);
  if (file.kind === "unreadable") {
    throw new FlotillaError(
      "UNAVAILABLE",
      `no hub runs in ${dataDir} (${file.reason}); start one with \`flotilla up\`, log in to one with \`flotilla login\`, or name one with --hub`,
      { ids: { dataDir } },
    );
  }
  return parseRunFile(path, file.text);
}

function load(path: string, what: string, readText: ReadText): string {
  const file = readText(path);
  if (file.kind === "text") return file.text;
  throw new FlotillaError("INVALID_ARGUMENT", `${what} cannot be read: ${file.reason}`, { ids: { path } });
}
