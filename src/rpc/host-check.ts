// SPDX-License-Identifier: Apache-2.0
// Host and Origin checks: a page of another site, or a name of another site that points here (DNS rebinding), gets nothing.
import type { ErrorCode } from "../base/error-codes.ts";

/** Names by which a browser on this machine reaches the hub. */
const loopbackNames: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const hostPattern = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,253})(?::(\d{1,5}))?$/;

/** A Host header or URL authority. */
export interface HostName {
  /** Lower case, without a trailing dot; IPv6 in brackets. */
  readonly name: string;
  readonly port: string;
}

/** Undefined for text that is no host. */
export function parseHost(text: string): HostName | undefined {
  const match = hostPattern.exec(text.toLowerCase());
  if (match === null) return undefined;
  return { name: (match[1] ?? "").replace(/\.$/, ""), port: match[2] ?? "" };
}

/** What this hub is called, and which other sites' pages may write to it. */
export interface HostPolicy {
  /** Besides the loopback names; IPv6 addresses with or without brackets. */
  readonly hostNames: readonly string[];
  /** Such as `https://console.example`; the hub's own origin is always allowed. */
  readonly origins: readonly string[];
}

/** Why a request is not served: an HTTP status, a code of the table of errors, one sentence. */
export interface SenderRefusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** What a request says about where it is going and where it comes from. */
export interface Sender {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/**
 * Judges senders by one policy: undefined for those that are served. The host must be a name of this hub; a method that may
 * change something must not come from a page of another origin. A caller without Origin is no browser.
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
