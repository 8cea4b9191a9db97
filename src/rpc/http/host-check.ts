// SPDX-License-Identifier: Apache-2.0
// Host and Origin checks against cross-site requests and DNS rebinding.
import type { ErrorCode } from "../../base/error-codes.ts";

/** Host names of this machine that are always accepted. */
const loopbackNames: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const hostPattern = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,253})(?::(\d{1,5}))?$/;

/** A Host header or URL authority. */
export interface HostName {
  /** Lower case, without a trailing dot; IPv6 in brackets. */
  readonly name: string;
  readonly port: string;
}

/** Undefined if the text is not a host. */
export function parseHost(text: string): HostName | undefined {
  const match = hostPattern.exec(text.toLowerCase());
  if (match === null) return undefined;
  return { name: (match[1] ?? "").replace(/\.$/, ""), port: match[2] ?? "" };
}

/** The hub's host names, and the other origins that may write to it. */
export interface HostPolicy {
  /** In addition to the loopback names. IPv6 addresses with or without brackets. */
  readonly hostNames: readonly string[];
  /** For example `https://console.example`. The hub's own origin is always allowed. */
  readonly origins: readonly string[];
}

/** Why a request is refused: an HTTP status, an error code, one sentence. */
export interface SenderRefusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The headers of a request that name its target and its origin. */
export interface Sender {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/**
 * Returns a check of senders; it gives undefined for those that may be served. The host must be a name of this hub. A
 * method that is not safe must not come from a page of another origin. A request without Origin does not come from a
 * browser and passes.
 */
export function createHostCheck(policy: HostPolicy): (sender: Sender) => SenderRefusal | undefined {
  const names = new Set([...loopbackNames, ...policy.hostNames.map(bracketed)]);
  const origins = new Set(policy.origins.map((origin) => new URL(origin).origin));
  return ({ method, host: header, origin }) => {
    const host = header === undefined ? undefined : parseHost(header);
    if (host === undefined) {
      return { status: 400, code: "INVALID_ARGUMENT", message: "the request names no valid host" };
    }
    if (!names.has(host.name)) {
      const message = `"${host.name}" is not a name of this hub; add it to the hub's host names`;
      return { status: 421, code: "INVALID_ARGUMENT", message };
    }
    if (safeMethods.has(method) || origin === undefined || origins.has(origin)) return undefined;
    const from = parseHost(/^https?:\/\/(.+)$/.exec(origin)?.[1] ?? "");
    if (from?.name === host.name && from.port === host.port) return undefined;
    return { status: 403, code: "PERMISSION_DENIED", message: "a page of another origin may not call this hub" };
  };
}

function bracketed(name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, "");
  return lower.includes(":") && !lower.startsWith("[") ? `[${lower}]` : lower;
}
