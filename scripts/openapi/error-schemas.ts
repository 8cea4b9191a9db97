// SPDX-License-Identifier: Apache-2.0
// Failures of calls over JSON: Connect's form, with our code in a detail (RP34).
import { errorCodes } from "../../src/base/error-codes.ts";
import type { Schema } from "./message-schemas.ts";

/** HTTP statuses of Connect codes, from Connect's protocol specification. */
const httpStatuses: Readonly<Record<string, number>> = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};

/** Schemas of failures, by their names. */
export const errorSchemas: Readonly<Record<string, Schema>> = {
  Error: {
    type: "object",
    description: "A failed call, as Connect encodes it.",
    required: ["code"],
    properties: {
      code: { type: "string", enum: Object.keys(httpStatuses), description: "Connect's code." },
      message: { type: "string", description: "One sentence that names what is wrong." },
      details: { type: "array", items: { $ref: "#/components/schemas/ErrorDetail" } },
    },
  },
  ErrorDetail: {
    type: "object",
    description: "The hub's own code. Absent if the call was refused before the hub read it, for example as malformed.",
    required: ["type", "value"],
    properties: {
      type: { type: "string", enum: ["google.protobuf.Struct"] },
      value: { type: "string", contentEncoding: "base64", description: "The same as debug, in protobuf's encoding." },
      debug: {
        type: "object",
        required: ["code", "ids"],
        properties: {
          code: { type: "string", enum: Object.keys(errorCodes), description: renderCodes() },
          ids: {
            type: "object",
            description: "Identifiers that the failure is about.",
            additionalProperties: { type: ["string", "number"] },
          },
        },
      },
    },
  },
  Refusal: {
    type: "object",
    description: "A request that was refused by its Host or Origin header, before any call.",
    required: ["code", "message", "requestId"],
    properties: {
      code: { type: "string", enum: Object.keys(errorCodes) },
      message: { type: "string" },
      requestId: { type: "string" },
    },
  },
};

const failed = (description: string, ...names: readonly string[]): Schema => {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { description, content: { "application/json": { schema: refs.length === 1 ? refs[0] : { anyOf: refs } } } };
};

/** Answers of failed calls, by their names. */
export const errorResponses: Readonly<Record<string, Schema>> = {
  Failed: failed("The call failed; the status follows from Connect's code.", "Error"),
  Unauthenticated: failed("No token, or one that is unknown, expired or revoked.", "Error"),
  Forbidden: failed("The caller does not have the permission of the method.", "Error", "Refusal"),
  Misdirected: failed("The Host header is not a name of this hub.", "Refusal"),
};

function renderCodes(): string {
  const lines = Object.entries(errorCodes).map(([code, { means, connect }]) => {
    return `- ${code} (${connect}, HTTP ${httpStatuses[connect]}): ${means}`;
  });
  return lines.join("\n");
}
