//! Scratch.
use std::io::Read;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e6
}
fn med(n: usize, mut f: impl FnMut()) -> f64 {
    let mut v: Vec<f64> = (0..n)
        .map(|_| {
            let t = cpu();
            f();
            cpu() - t
        })
        .collect();
    v.sort_by(f64::total_cmp);
    v[n / 2]
}
fn main() {
    for p in std::env::args().skip(1) {
        let data = std::fs::read(&p).unwrap();
        let lim = recto::Limits::default();
        let a = recto::opc::Archive::open(data.as_slice(), &lim).unwrap();
        let n = 7;
        let inflate = med(n, || {
            let mut buf = vec![0u8; 65536];
            for i in 0..a.zip().entries().len() {
                let mut r = a.zip().open_entry(i).unwrap();
                while r.read(&mut buf).unwrap() > 0 {}
            }
        });
        let parse = med(n, || {
            std::hint::black_box(recto::parse_to_vec(data.as_slice(), &lim).unwrap());
        });
        let (bin, _) = recto::parse_to_vec(data.as_slice(), &lim).unwrap();
        let out = recto::write_bin(&bin, Vec::new(), &recto::WriteOptions::default().with_level(0)).unwrap();
        let write0 = med(n, || {
            std::hint::black_box(recto::write_bin(&bin, Vec::new(), &recto::WriteOptions::default().with_level(0)).unwrap());
        });
        println!(
            "{p}: inflate {inflate:.1} parse {parse:.1} ({:.2}x; scan {:.1}) write level0 {write0:.1} bin {} xml {}",
            parse / inflate,
            parse - inflate,
            bin.len(),
            out.len()
        );
    }
}
