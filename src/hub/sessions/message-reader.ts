// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { ChunkJoiner } from "../../session/chunks.ts";
import { parseRequest } from "../../session/hub/parse-request.ts";
import type { ParsedRequest } from "../../session/hub/parsed-request.ts";
import { maxUnauthenticatedBytes, type SessionLimits } from "../../session/hub/session-limits.ts";
import type { RefusalReason } from "../../session/hub/session-rejections.ts";

/** A message that is not part of another. */
export type WholeMessage = Exclude<ParsedRequest, { kind: "chunk" }>;

/** Parses the messages of one stream and joins chunks (SE19). An invalid message is returned as refused. */
export class MessageReader {
  readonly #limits: SessionLimits;
  readonly #joiner: ChunkJoiner;

  constructor(limits: SessionLimits) {
    this.#limits = limits;
    this.#joiner = new ChunkJoiner(limits.maxJoinedBytes);
  }

  /** Returns undefined while chunks are missing, and for any chunk before the Welcome. */
  read(bytes: Uint8Array, isLive: boolean): WholeMessage | undefined {
    const message = parseRequest(bytes, isLive ? this.#limits.maxMessageBytes : maxUnauthenticatedBytes);
    if (message.kind !== "chunk") {
      if (!this.#joiner.isOpen) return message;
      return refused("outOfOrder", `${message.kind} came between two chunks`);
    }
    return isLive ? this.#join(message.part) : undefined;
  }

  #join(part: Extract<ParsedRequest, { kind: "chunk" }>["part"]): WholeMessage | undefined {
    try {
      const whole = this.#joiner.add(part);
      if (whole === undefined) return undefined;
      const parsed = parseRequest(whole, this.#limits.maxJoinedBytes);
      return parsed.kind === "chunk" ? refused("malformed", "a chunk came inside of chunks") : parsed;
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      return refused(reason.code === "TOO_LARGE" ? "overLimit" : "malformed", reason.message);
    }
  }
}

function refused(reason: RefusalReason, detail: string): WholeMessage {
  return { kind: "refused", refusal: { reason, detail } };
}
