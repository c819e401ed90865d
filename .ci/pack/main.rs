//! Packs a file as gzip does, but smaller: the module of the page, which is loaded over a network.
//!
//! `matviz-web-pack FILE >FILE.gz`

use libdeflater::{CompressionLvl, Compressor};
use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("which file?")?;
    let whole = fs::read(path)?;
    let mut packer = Compressor::new(CompressionLvl::best());
    let mut packed = vec![0; packer.gzip_compress_bound(whole.len())];
    let len = packer.gzip_compress(&whole, &mut packed)?;
    Ok(io::stdout().write_all(&packed[..len])?)
}
