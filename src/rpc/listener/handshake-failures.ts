// SPDX-License-Identifier: Apache-2.0
// TLS handshakes that the client ended. They are the hub's only evidence of a client that does not trust its
// certificate.
import type { Http2SecureServer } from "node:http2";

/**
 * Why a client ended a handshake. `untrusted`: it sent the alert that it does not trust the certificate. `notValidNow`:
 * it sent the alert that the certificate is expired or not valid yet, as a client with a wrong clock does. `abandoned`:
 * it closed the connection after its first message and sent no alert, as Node's TLS client does in both cases.
 */
export type HandshakeFault = "untrusted" | "notValidNow" | "abandoned";

/** One handshake that a client broke off. */
export interface HandshakeFailure {
  /** Of the client, without its port. */
  readonly address: string;
  readonly fault: HandshakeFault;
}

/** OpenSSL's names of the alerts about certificates (RFC 8446 section 6.2). */
const faultOfAlert: Readonly<Record<string, HandshakeFault>> = {
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "untrusted",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "untrusted",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: "untrusted",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "notValidNow",
};

/** Node's error code for a peer that closed the connection. */
const closedCode = "ECONNRESET";

/**
 * Alerts that wait for their connection to close, which happens in the same or the next event loop turn. More are
 * dropped.
 */
const maxAlertCount = 64;

/**
 * Reports each handshake that a client ended because of the certificate, or without an alert. Connections that sent
 * nothing (probes of load balancers) or that do not speak TLS are not reported. Best effort: Node reports an alert
 * without the address, so an alert is matched with the next connection that closes without a finished handshake.
 */
export function watchHandshakeFailures(server: Http2SecureServer, report: (failure: HandshakeFailure) => void): void {
  const alerts: (HandshakeFault | undefined)[] = [];
  const open = new Set<string>();
  server.on("tlsClientError", (reason: Error) => {
    const code = "code" in reason ? String(reason.code) : "";
    if (code !== closedCode && alerts.length < maxAlertCount) alerts.push(faultOfAlert[code]);
  });
  server.on("connection", (socket) => {
    const { remoteAddress = "", remotePort } = socket;
    const key = `${remoteAddress} ${remotePort}`;
    open.add(key);
    socket.once("close", () => {
      if (!open.delete(key) || socket.bytesRead === 0) return;
      const fault = alerts.length === 0 ? "abandoned" : alerts.shift();
      if (fault !== undefined) report({ address: remoteAddress, fault });
    });
  });
  server.on("secureConnection", ({ remoteAddress = "", remotePort }) => open.delete(`${remoteAddress} ${remotePort}`));
}
