// SPDX-License-Identifier: Apache-2.0

import { lookup as systemLookup } from "node:dns";
import { connect as connectTcp, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { abortReason, onAbort } from "../../base/abort.ts";
import { nearReasonOf } from "../credentials/local-address.ts";
import { KubeError } from "../kube-error.ts";

/** 30 s, as Go's dialer: lets the system detect a lost peer, because HTTP/1.1 has no PING. */
const keepAliveDelayMs = 30_000;

/** The target of a TCP connection. */
export interface TcpTarget {
  readonly host: string;
  readonly port: number;
  /** Refuses addresses of this machine and its link (KU7). */
  readonly isRestricted: boolean;
  /** How long one of several addresses is tried before the next. */
  readonly attemptMs: number;
  /** Default: the system's. */
  readonly lookup: LookupFunction | undefined;
}

/** Opens a TCP connection, or rejects with the cause. If the signal aborts, nothing stays open. */
export async function openTcp(target: TcpTarget, signal: AbortSignal): Promise<Socket> {
  const { host, port, isRestricted, attemptMs } = target;
  const lookup = isRestricted ? lookupExcludingNear(target.lookup ?? systemLookup) : target.lookup;
  const socket = connectTcp({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveDelayMs,
    autoSelectFamilyAttemptTimeout: attemptMs,
    ...(lookup === undefined ? {} : { lookup }),
  });
  await opened(socket, "connect", signal);
  // Checked before a byte is sent: whatever the name resolved to, this is the connected address.
  const address = socket.remoteAddress ?? "";
  if (isRestricted && nearReasonOf(address) !== undefined) {
    socket.destroy();
    throw nearAddressError(host, address);
  }
  return socket;
}

/** Starts TLS on an open socket. The socket belongs to it from then on and is closed if TLS fails. */
export async function openTls(socket: Socket, options: ConnectionOptions, signal: AbortSignal): Promise<TLSSocket> {
  try {
    const secure = connectTls({ ...options, socket });
    await opened(secure, "secureConnect", signal);
    return secure;
  } catch (reason) {
    socket.destroy();
    throw reason;
  }
}

function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: unknown): void => {
      end();
      socket.on("error", () => undefined); // later errors add nothing to the first
      socket.destroy();
      reject(reason);
    };
    const onOpen = (): void => {
      end();
      resolve();
    };
    const onClose = (): void => fail(new KubeError("tcp", "the connection was closed while it was opened"));
    const end = (): void => {
      unlisten();
      socket.off(event, onOpen).off("error", fail).off("close", onClose);
    };
    let unlisten = (): void => undefined;
    socket.once(event, onOpen).once("error", fail).once("close", onClose);
    unlisten = onAbort(signal, () => fail(abortReason(signal)));
  });
}

/**
 * A lookup that returns only addresses elsewhere, and fails if there are none. A name can resolve to this machine at
 * any time (DNS rebinding).
 */
function lookupExcludingNear(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (failure, found) => {
      if (failure !== null) {
        callback(failure, "");
        return;
      }
      const all = typeof found === "string" ? [{ address: found, family: found.includes(":") ? 6 : 4 }] : found;
      const elsewhere = all.filter(({ address }) => nearReasonOf(address) === undefined);
      const [first] = elsewhere;
      if (first === undefined) callback(nearAddressError(hostname, all[0]?.address ?? ""), "");
      else if (options.all === true) callback(null, elsewhere);
      else callback(null, first.address, first.family);
    });
  };
}

function nearAddressError(host: string, address: string): KubeError {
  const reason = nearReasonOf(address) ?? "missing";
  return new KubeError(
    "dns",
    `${host} resolves to the ${reason} address ${address}, which an imported kubeconfig may not use`,
  );
}
