// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { textMapOf } from "../../kinds/fields.ts";
import { type AgentIdentityRecord, fromParts, type IdentityStore, toParts } from "./identity-record.ts";

/** File operations of the store: main passes the machine's, a test its own. */
export interface IdentityFiles {
  /** The whole text; undefined if there is no such file. */
  read(path: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Writes a new file or replaces an existing one. It has exactly this mode from its first byte on, and is durable when
   * this resolves.
   */
  write(path: string, text: string, mode: number): Promise<void>;
  /** Replaces `to` by `from` atomically; durable when this resolves. */
  rename(from: string, to: string): Promise<void>;
}

/** Owner only: the file holds a private key. */
const ownerOnly = 0o600;

/**
 * Keeps the record in one file that is replaced as a whole: a crash leaves the old record or the new one. For one
 * process at a time: a write by another process is not detected, so `save` never rejects with CONFLICT.
 */
export function createFileIdentityStore(path: string, files: IdentityFiles): IdentityStore {
  const where = `the key file ${path}`;
  const attempt = async <T>(verb: string, signal: AbortSignal, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (reason) {
      if (isCancellation(signal, reason)) throw reason;
      throw new FlotillaError(
        "UNAVAILABLE",
        `${where} cannot be ${verb}; check that its folder exists and belongs to the agent's user`,
        {
          cause: reason,
        },
      );
    }
  };
  return {
    async load(signal): Promise<AgentIdentityRecord | undefined> {
      const text = await attempt("read", signal, () => files.read(path, signal));
      return text === undefined ? undefined : fromParts(parseParts(text, where), where);
    },
    async save(record, signal): Promise<void> {
      const text = `${JSON.stringify(Object.fromEntries(toParts(record)), undefined, 2)}\n`;
      const temporary = `${path}.new`;
      await attempt("written", signal, async () => {
        await files.write(temporary, text, ownerOnly);
        await files.rename(temporary, path);
      });
    },
  };
}

function parseParts(text: string, where: string): ReadonlyMap<string, string> {
  try {
    return textMapOf(JSON.parse(text));
  } catch (reason) {
    // The parser's message quotes the text, which is a key.
    if (!(reason instanceof SyntaxError)) throw reason;
    throw new FlotillaError("CONFIG_INVALID", `${where} is not a key file of an agent; delete it to join again`);
  }
}
