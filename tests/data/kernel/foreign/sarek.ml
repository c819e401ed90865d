(* A tiled product as Sarek's documentation publishes it, in words of our own: two flat shared
   arrays of 256 elements, rows and columns from block_dim times block_idx, and one superstep that
   loads both tiles. A superstep is followed by one barrier; the sum that comes after it is in none,
   so that nothing keeps a fast warp from loading the next tiles while a slow one still reads. *)

let%kernel product (a : float32 vector) (b : float32 vector) (c : float32 vector)
    (m : int32) (n : int32) (k : int32) =
  let%shared tile_a = Array.create Float32 256 in
  let%shared tile_b = Array.create Float32 256 in
  let tx = thread_idx_x and ty = thread_idx_y in
  let row = ty + (block_dim_y * block_idx_y) in
  let col = tx + (block_dim_x * block_idx_x) in
  let sum = ref 0.0 in
  for t = 0 to ((k + 15) / 16) - 1 do
    let%superstep load =
      let from_a = (t * 16) + tx and from_b = (t * 16) + ty in
      tile_a.((ty * 16) + tx) <-
        (if row < m && from_a < k then a.((row * k) + from_a) else 0.0);
      tile_b.((ty * 16) + tx) <-
        (if from_b < k && col < n then b.((from_b * n) + col) else 0.0)
    in
    for i = 0 to 15 do
      sum := !sum +. (tile_a.((ty * 16) + i) *. tile_b.((i * 16) + tx))
    done
  done;
  if row < m && col < n then c.((row * n) + col) <- !sum
