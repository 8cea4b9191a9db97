// SPDX-License-Identifier: Apache-2.0
// Splits one ClusterState into messages of bounded size. Protobuf's own merging joins them again.
import { create, type DescMessage, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  type ClusterState,
  ClusterStateSchema,
  type GetClusterStateResponse,
  GetClusterStateResponseSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";

/** Overhead of an element: two bytes for its field number, at most five for its length. */
const elementBytes = 7;

/** Overhead of a response: number and length of the state, and `is_last`. */
const envelopeBytes = 8;

/** One element of one list of the state, and the most bytes that it adds to a message. */
export interface StatePiece {
  readonly sizeBytes: number;
  addTo(state: ClusterState): void;
}

/** A message as an element of a list. */
export function listElement<D extends DescMessage>(
  schema: D,
  message: MessageShape<D>,
  listIn: (state: ClusterState) => MessageShape<D>[],
): StatePiece {
  return {
    // Encoded again when its chunk is sent: encoding is the only way to know the exact size.
    sizeBytes: toBinary(schema, message).byteLength + elementBytes,
    addTo: (state) => void listIn(state).push(message),
  };
}

/**
 * Fills one chunk after the other and holds one in memory. No chunk exceeds `maxBytes`, unless the head or one piece
 * alone does; see `fitsAlone`.
 */
export class StateChunks {
  readonly #maxBytes: number;
  #state: ClusterState;
  #sizeBytes: number;
  #isEmpty = false;

  /** The first chunk begins with `head`. */
  constructor(head: MessageInitShape<typeof ClusterStateSchema>, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#state = create(ClusterStateSchema, head);
    this.#sizeBytes = envelopeBytes + toBinary(ClusterStateSchema, this.#state).byteLength;
  }

  /** Whether a chunk with only this piece is within the limit. */
  fitsAlone({ sizeBytes }: StatePiece): boolean {
    return envelopeBytes + sizeBytes <= this.#maxBytes;
  }

  /** Adds the piece. Returns the chunk before it if that is now full. */
  add(piece: StatePiece): GetClusterStateResponse | undefined {
    const isFull = !this.#isEmpty && this.#sizeBytes + piece.sizeBytes > this.#maxBytes;
    const full = isFull ? this.#take(false) : undefined;
    piece.addTo(this.#state);
    this.#sizeBytes += piece.sizeBytes;
    this.#isEmpty = false;
    return full;
  }

  /** The chunk that ends the state. Nothing is added afterwards. */
  last(): GetClusterStateResponse {
    return this.#take(true);
  }

  #take(isLast: boolean): GetClusterStateResponse {
    const state = this.#state;
    this.#state = create(ClusterStateSchema);
    this.#sizeBytes = envelopeBytes;
    this.#isEmpty = true;
    return create(GetClusterStateResponseSchema, { state, isLast });
  }
}
