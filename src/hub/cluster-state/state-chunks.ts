// SPDX-License-Identifier: Apache-2.0
// Cutting one ClusterState into messages of bounded size. Protobuf's own merging puts them together again.
import { create, type DescMessage, type MessageInitShape, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  type ClusterState,
  ClusterStateSchema,
  type GetClusterStateResponse,
  GetClusterStateResponseSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";

/** What an element takes beside its own bytes: two bytes of its field's number, five at most of its length. */
const elementBytes = 7;

/** What a response takes beside its state: number and length of the state, and `is_last`. */
const envelopeBytes = 8;

/** One element of one list of the state, and how many bytes it adds to a message at most. */
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
    // The message is encoded once more when its chunk is sent: there is no other way to know its size exactly.
    sizeBytes: toBinary(schema, message).byteLength + elementBytes,
    addTo: (state) => void listIn(state).push(message),
  };
}

/**
 * Fills one chunk after the other. No chunk is larger than `maxBytes`, unless the head or one piece alone is: `fitsAlone` tells. Keeps one
 * chunk in memory.
 */
export class StateChunks {
  readonly #maxBytes: number;
  #state: ClusterState;
  #sizeBytes: number;
  #isEmpty = false;

  /** The head is what the first chunk begins with. */
  constructor(head: MessageInitShape<typeof ClusterStateSchema>, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#state = create(ClusterStateSchema, head);
    this.#sizeBytes = envelopeBytes + toBinary(ClusterStateSchema, this.#state).byteLength;
  }

  /** Whether a chunk of this piece and nothing else is within the limit. */
  fitsAlone({ sizeBytes }: StatePiece): boolean {
    return envelopeBytes + sizeBytes <= this.#maxBytes;
  }

  /** Takes the piece, and gives the chunk before it where that is now full. */
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
